import { openEmbedded } from '../support/databases.js'
import { naughtySuite } from '../support/naughty-suite.js'

/** A selection of strings that have broken other programs; the complete Big List of Naughty Strings is sent to the real servers. */
const NAUGHTY = [
  '', ' ', 'undefined', 'null', 'NaN', '-1', '0x10', '1e400', '9223372036854775808', '-9223372036854775809', '٣', '１', '\u0000', 'a\u0000b', '\ud800',
  "'", '"', '`', '\\', "\\'", "''", '%', '_', '!', '!%', '%00', '$1', '?', '??', ':id', '@x', '{}', '[]', '[$ne]', '-', '--', ',', ';', '#', '/*', '*/',
  "1;drop table samples", "1'; drop table samples; --", "' or '1'='1", '1) or (1=1', "') union select code from samples --", 'id desc', 'id;--', 'id"', '(select 1)', 'samples.id',
  '1 or 1=1', "1' AND SLEEP(5)#", 'pg_sleep(5)', "';waitfor delay '0:0:5'--", '__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '$where', '../../etc/passwd',
  '<script>alert(1)</script>', '${7*7}', '{{7*7}}', '%s%s%n', '\r\nSet-Cookie: a=b', '\u202etest', '\ufeff', '\u200b', '田中さん', '👩‍👩‍👧‍👦', 'Ω≈ç√', 'ﬀ', 'İ', 'ß', 'e\u0301', '社會科學院', '𝕿𝖍𝖊', 'é'.repeat(300),
]

naughtySuite(openEmbedded, NAUGHTY)
