# shellcheck shell=bash disable=SC2154 # variables are set in ../cassandra
# Gets Cassandra's jars, once, and the compiled readiness probe.

# jars_dir: where the jars of the cluster's version are.
jars_dir() { printf '%s/jars-%s' "$base" "$version"; }

# fetch_jars: fills that folder through Maven if it is not there yet. It appears whole
# or not at all.
fetch_jars() {
  local folder
  folder=$(jars_dir)
  [[ -d $folder ]] && return 0
  lock 8 "$base/.jars.lock" "the jar folder"
  if [[ ! -d $folder ]]; then
    command -v mvn >/dev/null 2>&1 || die "Maven (mvn) was not found; it fetches Cassandra's jars" \
      "Get it with any of:" \
      "  apt-get install maven" \
      "  brew install maven" \
      "  sdk install maven                  (sdkman.io)"
    note "fetching the jars of Cassandra $version (50 to 70 MB, once)"
    local part=$folder.part log=$base/maven.log
    rm -rf "$part"
    if ! JAVA_HOME=$java_home mvn -q -B -f "$here/pom.xml" dependency:copy-dependencies \
      "-Dcassandra.version=$version" -DincludeScope=runtime "-DoutputDirectory=$part" </dev/null >"$log" 2>&1 ||
      [[ ! -e $part/cassandra-all-$version.jar ]]; then
      tail -n 20 "$log" >&2
      die "Maven could not fetch the jars (all it said: $log)" \
        "It needs a way to Maven Central, or to a mirror set in ~/.m2/settings.xml." \
        "Try again when that is there: what was fetched already is kept in ~/.m2."
    fi
    mv "$part" "$folder"
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
    -cp "$here/conf:$(jars_dir)/*" "$@"
}
