# shellcheck shell=bash disable=SC2154,SC2034 # variables are shared with ../cassandra and its other parts
# Words to the user, checks of what the machine has, and the locks.

say() { printf '%s\n' "$*"; }
note() { printf 'cassandra: %s\n' "$*" >&2; }

# die MESSAGE...: the first line is the error, every further one says what to do.
die() {
  note "$1"
  shift
  local line
  for line in "$@"; do printf '  %s\n' "$line" >&2; done
  exit 1
}

need_tool() {
  command -v "$1" >/dev/null 2>&1 || die "$1 was not found" "$2"
}

# java_major HOME: prints the major version of the JDK in HOME, nothing if there is none.
java_major() {
  local home=$1 version=
  [[ -x $home/bin/java && -x $home/bin/javac ]] || return 0
  if [[ -r $home/release ]]; then
    version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$home/release")
  fi
  if [[ -z $version ]]; then
    version=$("$home/bin/java" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p')
  fi
  printf '%s' "$version"
}

# path_java_home: prints the home of the java on PATH, nothing if there is none.
path_java_home() {
  command -v java >/dev/null 2>&1 || return 0
  java -XshowSettings:properties -version 2>&1 |
    sed -n 's/^ *java\.home = //p' || true
}

# find_java: sets java_home to a JDK 17. JAVA_HOME comes first, then PATH, then
# the usual folders.
find_java() {
  local home major
  for home in "${JAVA_HOME:-}" "$(path_java_home)" /usr/lib/jvm/*17* \
    "${HOME:-/}"/.sdkman/candidates/java/17* /opt/homebrew/opt/openjdk@17 \
    /Library/Java/JavaVirtualMachines/*17*/Contents/Home; do
    [[ -n $home ]] || continue
    major=$(java_major "$home")
    if [[ $major == 17 ]]; then
      java_home=$home
      if [[ -n ${JAVA_HOME:-} && $home != "$JAVA_HOME" ]]; then
        note "JAVA_HOME=$JAVA_HOME is no JDK 17; using $home instead"
      fi
      return 0
    fi
  done
  die "no JDK 17 was found (JAVA_HOME=${JAVA_HOME:-not set}, java on PATH: $(command -v java || echo none))" \
    "Cassandra runs here on a JDK 17, with javac. Get one with any of:" \
    "  apt-get install openjdk-17-jdk-headless" \
    "  brew install openjdk@17" \
    "  sdk install java 17.0.15-tem       (sdkman.io)" \
    "or point JAVA_HOME at it."
}

# lock FD FILE WHAT: holds FILE locked until this script ends or closes FD.
# Programs that outlive the script must be started with FD closed.
lock() {
  local fd=$1 file=$2 what=$3
  need_tool flock "It is part of util-linux: apt-get install util-linux, or brew install flock"
  eval "exec $fd>\"\$file\""
  flock -n "$fd" && return 0
  note "$what is in the hands of another run of this command; waiting for it"
  flock -w 600 "$fd" || die "$what was still locked after 600 s" \
    "See who holds $file (lsof $file), end it, and try again."
}

# listening IP PORT: true if a process accepts connections there.
listening() {
  (exec 3<>"/dev/tcp/$1/$2") 2>/dev/null
}
