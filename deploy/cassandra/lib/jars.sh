# shellcheck shell=bash disable=SC2154 # variables are set in ../cassandra
# Gets Cassandra's jars, once, and the compiled readiness probe.

# fetch_jars: fills $jars_dir through Maven if it is not there yet. The folder
# appears whole or not at all.
fetch_jars() {
  [[ -d $jars_dir ]] && return 0
  lock 8 "$base/.jars.lock" "the jar folder"
  if [[ ! -d $jars_dir ]]; then
    command -v mvn >/dev/null 2>&1 || die "Maven (mvn) was not found; it fetches Cassandra's jars" \
      "Get it with any of:" \
      "  apt-get install maven" \
      "  brew install maven" \
      "  sdk install maven                  (sdkman.io)"
    note "fetching the jars of Cassandra $cassandra_version (about 66 MB, once)"
    local part=$jars_dir.part log=$base/maven.log
    rm -rf "$part"
    if ! JAVA_HOME=$java_home mvn -q -B -f "$here/pom.xml" dependency:copy-dependencies \
      -DincludeScope=runtime "-DoutputDirectory=$part" </dev/null >"$log" 2>&1 ||
      [[ ! -e $part/cassandra-all-$cassandra_version.jar ]]; then
      tail -n 20 "$log" >&2
      die "Maven could not fetch the jars (all it said: $log)" \
        "It needs a way to Maven Central, or to a mirror set in ~/.m2/settings.xml." \
        "Try again when that is there: what was fetched already is kept in ~/.m2."
    fi
    mv "$part" "$jars_dir"
  fi
  exec 8>&-
}

# compile_ready: compiles Ready.java into $ready_dir unless that is newer.
compile_ready() {
  local class=$ready_dir/Ready.class
  [[ $class -nt $here/Ready.java ]] && return 0
  lock 8 "$base/.jars.lock" "the jar folder"
  if [[ ! $class -nt $here/Ready.java ]]; then
    "$java_home/bin/javac" -d "$ready_dir" "$here/Ready.java" ||
      die "$here/Ready.java could not be compiled with $java_home/bin/javac"
  fi
  exec 8>&-
}

# tool_java MAIN ARGS...: runs one of Cassandra's own tools from the jars.
tool_java() {
  "$java_home/bin/java" -Xmx128m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
    "@$here/conf/jvm-modules.options" "-Duser.home=$cluster_dir" \
    -Dlogback.configurationFile=logback-tools.xml \
    -cp "$here/conf:$jars_dir/*" "$@"
}
