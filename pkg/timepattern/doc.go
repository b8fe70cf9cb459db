// Package timepattern reads and writes dates and times by patterns. A pattern has either the
// directives of strptime, such as %d.%m.%Y %H:%M, or the letters of Java's DateTimeFormatter, such
// as dd.MM.yyyy HH:mm. A text with a percent sign has directives.
//
// # Directives
//
// They are read as Python's datetime.strptime reads them in the C locale, but without backtracking.
// Each of two adjacent numbers therefore takes as many digits as it can. Some are read more
// strictly or more freely:
//
//   - %Y at the start may have fewer than four digits, as cqlsh's COPY TO writes years before 1000.
//   - A day that does not exist, such as 29 February 2015, is never carried into the next month.
//   - %e, %h, %D, %F, %R and %T of strftime are also read.
//
// # Letters
//
// They mean what Java's class says:
//
//   - y or u, M, d: year, month, day; of months also the names (MMM, MMMM)
//   - H, m, s, S: hour, minute, second, and digits of its fraction
//   - h and a: hour of twelve, and AM or PM
//   - E: day of the week
//   - X, x, Z: offset from UTC
//   - z, V: read as UTC or GMT alone
//   - f: a fraction of one to nine digits. Java has no such letter.
//
// Other text is in single quotes, and what is in brackets may be missing. Names of DSBulk and Java,
// such as ISO_LOCAL_DATE, stand for patterns. Names of months and weekdays are English.
//
// # Bytes and concurrency
//
// A [Pattern] appends to a buffer of the caller and does not retain its arguments. It does not
// allocate, and is safe for concurrent use.
//
// # Sources
//
// strptime of Python 3.11 (Lib/_strptime.py), and the documentation of
// java.time.format.DateTimeFormatter of Java 17.
package timepattern
