import type { Dictionary } from 'resourcery'
import { de } from 'resourcery/messages/de'

/** The messages in German; those of this application are found by their English text. */
export const german: Dictionary = {
  ...de,
  'Wrong e-mail or password': 'E-Mail-Adresse oder Passwort ist falsch',
  'You may not grant a permission that you lack': 'Rechte, die Ihnen fehlen, können Sie nicht vergeben',
  'No such role': 'Diese Rolle gibt es nicht',
  'No such room': 'Diesen Raum gibt es nicht',
  'No such customer': 'Diesen Kunden gibt es nicht',
  'No such booking': 'Diese Buchung gibt es nicht',
  'The role has users': 'Die Rolle wird noch verwendet',
  'A room needs a seat': 'Ein Raum braucht mindestens einen Platz',
  'The room has bookings': 'Der Raum ist noch gebucht',
  'The customer has bookings': 'Der Kunde hat noch Buchungen',
  'The customer has invoices': 'Der Kunde hat noch Rechnungen',
  'The booking is on an invoice': 'Die Buchung steht auf einer Rechnung',
  'The room is taken at this time': 'Der Raum ist zu dieser Zeit belegt',
  'Must be after the start': 'Muss nach dem Beginn liegen',
  'There is an invoice with this number': 'Diese Rechnungsnummer gibt es schon',
  'The invoice has attachments': 'Die Rechnung hat noch Anlagen',
}
