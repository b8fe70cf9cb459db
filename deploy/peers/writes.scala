// What the Spark Cassandra Connector writes into peers.theirs: test-peers has cqlbulk write the same
// into peers.ours, and compares the tables.
import com.datastax.spark.connector._
import com.datastax.spark.connector.writer._

val keys = for (k <- 0 until 20; c <- 0 until 10) yield (k, c)
def all(columns: ColumnRef*) = SomeColumns(Seq[ColumnRef]("k", "c") ++ columns: _*)
def of(when: Int => Boolean) = sc.parallelize(keys.filter(key => when(key._2)))

of(_ => true).map { case (k, c) =>
  (k, c, List(1, 2, 3), Set("a", "b"), Map("x" -> 1, "y" -> 2), s"v$c", c)
}.saveToCassandra("peers", "theirs", all("l", "s", "m", "v", "n"))
of(_ % 2 == 0).map { case (k, c) => (k, c, List(4, 5)) }.saveToCassandra("peers", "theirs", all("l" append))
of(_ % 3 == 0).map { case (k, c) => (k, c, List(9, 8)) }.saveToCassandra("peers", "theirs", all("l" prepend))
of(_ % 4 == 0).map { case (k, c) => (k, c, List(2)) }.saveToCassandra("peers", "theirs", all("l" remove))
of(_ % 2 == 1).map { case (k, c) => (k, c, Set("z"), Map("x" -> 7, "q" -> c)) }
  .saveToCassandra("peers", "theirs", all("s" append, "m" append))
of(_ % 5 == 0).map { case (k, c) => (k, c, Set("a")) }.saveToCassandra("peers", "theirs", all("s" remove))
of(_ == 7).deleteFromCassandra("peers", "theirs", SomeColumns("v"), SomeColumns("k", "c"))
of(_ == 8).deleteFromCassandra("peers", "theirs", keyColumns = SomeColumns("k", "c"))
sc.parallelize(Seq(Tuple1(3), Tuple1(4))).deleteFromCassandra("peers", "theirs", keyColumns = SomeColumns("k"))
of(_ == 1).map { case (k, c) => (k, c, "timed") }.saveToCassandra("peers", "theirs", all("v"),
  writeConf = WriteConf(ttl = TTLOption.constant(86400), timestamp = TimestampOption.constant(4102444800000000L)))
println("all was written")
System.exit(0)
