-- Rooms that tenants let, each for themselves: `north`, and `south`, whose rows callers of north must never meet.
create extension if not exists btree_gist;
create table tenants (id serial primary key, name text not null);
create table roles (id serial primary key, "tenantId" int not null references tenants, name text not null,
  permissions jsonb not null, constraint roles_name unique ("tenantId", name));
create table users (id serial primary key, "tenantId" int not null references tenants,
  "roleId" int not null constraint users_role references roles, name text not null, email text not null unique,
  active boolean not null, "passwordHash" text not null default '');
create table rooms (id serial primary key, "tenantId" int not null references tenants, name text not null,
  seats int not null constraint rooms_seats check (seats > 0), price numeric(10, 2) not null,
  constraint rooms_name unique ("tenantId", name));
create table customers (id serial primary key, "tenantId" int not null references tenants, name text not null,
  email text not null, constraint customers_email unique ("tenantId", email));
create table bookings (id serial primary key, "tenantId" int not null references tenants, title text not null,
  "roomId" int not null constraint bookings_room references rooms,
  "customerId" int not null constraint bookings_customer references customers,
  "startsAt" timestamptz(3) not null, "endsAt" timestamptz(3) not null, version int not null,
  constraint bookings_period check ("startsAt" < "endsAt"),
  constraint bookings_overlap exclude using gist ("roomId" with =, tstzrange("startsAt", "endsAt") with &&));
create table invoices (id serial primary key, "tenantId" int not null references tenants,
  "customerId" int not null constraint invoices_customer references customers, number text not null,
  "issuedOn" date not null, version int not null, constraint invoices_number unique ("tenantId", number));
create table lines (id serial primary key, "tenantId" int not null references tenants,
  "invoiceId" int not null references invoices, "bookingId" int constraint lines_booking references bookings,
  text text not null, quantity int not null, price numeric(10, 2) not null);
create table attachments (id serial primary key, "tenantId" int not null references tenants,
  "invoiceId" int not null constraint attachments_invoice references invoices, name text not null,
  type text not null, size int not null, path text not null);
create table audit (id serial primary key, "tenantId" int not null references tenants, "userId" int not null,
  action text not null, "recordId" int not null, at timestamptz(3) not null default now());
insert into tenants (name) values ('north'), ('south');
insert into roles ("tenantId", name, permissions) values
  (1, 'owner', '["desk.*"]'), (1, 'clerk', '["desk.bookings.*", "desk.rooms.list", "desk.customers.*"]'),
  (2, 'owner', '["desk.*"]');
insert into users ("tenantId", "roleId", name, email, active) values
  (1, 1, 'Nora', 'nora@example.test', true), (1, 2, 'Ned', 'ned@example.test', true),
  (2, 3, 'Sue', 'sue@example.test', true);
insert into rooms ("tenantId", name, seats, price) values
  (1, 'Blue room', 6, 25.00), (1, 'Hall', 80, 190.50), (2, 'Attic', 4, 12.00);
insert into customers ("tenantId", name, email) values
  (1, 'Ada', 'ada@example.test'), (2, 'Bob', 'bob@example.test');
