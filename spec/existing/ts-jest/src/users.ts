const users = [{ id: 1, name: 'ann', role: 'staff' }, { id: 2, name: 'ben', role: 'guest' }]

export function findUser(name?: string) {
  return users.find((user) => user.name === name)
}
