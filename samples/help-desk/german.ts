import type { Dictionary } from 'resourcery'
import { de } from 'resourcery/messages/de'

/** The messages in German; those of this application are found by their English text. */
export const german: Dictionary = {
  ...de,
  'Wrong e-mail or password': 'E-Mail-Adresse oder Passwort ist falsch',
  'No such customer': 'Diesen Kunden gibt es nicht',
  'No such category': 'Diese Kategorie gibt es nicht',
  'The customer has tickets': 'Der Kunde hat noch Tickets',
  'Not an agent of this team': 'Gehört nicht zu diesem Team',
  'Already closed': 'Bereits geschlossen',
}
