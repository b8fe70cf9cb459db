import java.time.*;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Writes times by patterns, for the tests of this package: java Java.java > java.txt */
class Java {
  public static void main(String[] args) {
    String[] patterns = {
      "yyyy-MM-dd HH:mm:ss", "uuuu-MM-dd'T'HH:mm:ss.SSSXXX", "dd.MM.yyyy", "d/M/yy H:mm",
      "MM/dd/yyyy hh:mm:ss a", "EEE, d MMM yyyy HH:mm:ss Z", "EEEE d MMMM y", "yyyyMMddHHmmssSSS",
      "yyyy-MM-dd'T'HH:mm:ss.SSSSSSSSSX", "HH:mm:ss.SSSSSS", "h:mm a", "yyyy-MM-dd HH:mm:ss xx",
      "yyyy-MM-dd HH:mm[:ss][.SSS]xxx", "'on' d''M yyyy", "yyyy-MM-dd HH:mm:ssZZZZZ", "M/d/yyyy h:mm:ss.SSS a",
    };
    OffsetDateTime[] times = {
      OffsetDateTime.parse("2024-03-01T00:05:09.123456789+00:00"),
      OffsetDateTime.parse("1999-12-31T23:59:59.999999999-05:30"),
      OffsetDateTime.parse("2000-02-29T12:00:00Z"),
      OffsetDateTime.parse("2015-10-09T13:07:00.5+02:00"),
    };
    for (String pattern : patterns) {
      DateTimeFormatter f = DateTimeFormatter.ofPattern(pattern, Locale.US);
      for (OffsetDateTime t : times) System.out.println(pattern + "\t" + t + "\t" + f.format(t));
    }
  }
}
