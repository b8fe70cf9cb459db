import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.cassandra.io.sstable.CQLSSTableWriter;

/**
 * Makes SSTables of a file of comma-separated values with Cassandra's CQLSSTableWriter, for
 * sstableloader. Fields are not quoted, and the first line is a header. Each writer takes a part of
 * the file of its own, since a writer is for one thread.
 *
 * <p>Usage: WriteSSTables FOLDER CREATE-TABLE INSERT TYPES NULL WRITERS FILE
 */
final class WriteSSTables {
    private final String folder;
    private final String table;
    private final String insert;
    private final String[] types;
    private final String nullText;
    private final Path file;

    private WriteSSTables(String[] args) {
        folder = args[0];
        table = args[1];
        insert = args[2];
        types = args[3].split(",");
        nullText = args[4];
        file = Path.of(args[6]);
    }

    public static void main(String[] args) throws Exception {
        WriteSSTables job = new WriteSSTables(args);
        int writers = Integer.parseInt(args[5]);
        Files.createDirectories(Path.of(job.folder));
        long[] cuts = job.cuts(writers);
        ExecutorService pool = Executors.newFixedThreadPool(writers);
        List<Callable<Long>> parts = new ArrayList<>();
        for (int i = 0; i < writers; i++) {
            long from = cuts[i];
            long to = cuts[i + 1];
            parts.add(() -> job.write(from, to));
        }
        long rows = 0;
        for (Future<Long> part : pool.invokeAll(parts)) {
            rows += part.get();
        }
        System.out.println(rows + " rows");
        // Cassandra leaves threads behind that would keep the program alive.
        System.exit(0);
    }

    /** Gives where each part of the file begins, behind the header and each time behind the end of a line. */
    private long[] cuts(int parts) throws IOException {
        long[] cuts = new long[parts + 1];
        long size = Files.size(file);
        cuts[parts] = size;
        for (int i = 0; i < parts; i++) {
            long at = size * i / parts;
            try (InputStream in = Files.newInputStream(file)) {
                in.skipNBytes(at);
                int b;
                do {
                    b = in.read();
                    at++;
                } while (b >= 0 && b != '\n');
            }
            cuts[i] = Math.min(at, size);
        }
        return cuts;
    }

    private long write(long from, long to) throws IOException {
        long rows = 0;
        ByteBuffer[] cells = new ByteBuffer[types.length];
        try (CQLSSTableWriter writer =
                        CQLSSTableWriter.builder().inDirectory(folder).forTable(table).using(insert).build();
                InputStream in = Files.newInputStream(file)) {
            in.skipNBytes(from);
            BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.ISO_8859_1), 1 << 20);
            for (long at = from; at < to; rows++) {
                String line = reader.readLine();
                at += line.length() + 1;
                int begin = 0;
                for (int i = 0; i < types.length; i++) {
                    int end = line.indexOf(',', begin);
                    if (end < 0) {
                        end = line.length();
                    }
                    cells[i] = cell(types[i], line.substring(begin, end));
                    begin = end + 1;
                }
                // The writer keeps the list.
                writer.rawAddRow(Arrays.asList(cells.clone()));
            }
        }
        return rows;
    }

    private ByteBuffer cell(String type, String text) {
        if (text.equals(nullText)) {
            return CQLSSTableWriter.UNSET_VALUE;
        }
        return switch (type) {
            case "int" -> ByteBuffer.allocate(4).putInt(0, Integer.parseInt(text));
            case "bigint" -> ByteBuffer.allocate(8).putLong(0, Long.parseLong(text));
            case "timestamp" -> ByteBuffer.allocate(8).putLong(0, Instant.parse(text).toEpochMilli());
            case "text" -> ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1));
            case "blob" -> ByteBuffer.wrap(HexFormat.of().parseHex(text, 2, text.length()));
            default -> throw new IllegalArgumentException("type " + type);
        };
    }
}
