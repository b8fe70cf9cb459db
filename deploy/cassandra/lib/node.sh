# shellcheck shell=bash disable=SC2154 # variables are set in ../cassandra
# One node: its folder, its configuration, its process. A node is known by its
# number, 1 to 3; its folder holds conf, data, logs, tmp, triggers (empty, but the
# server warns without it) and the files pid and jmx-port.

node_dir() { printf '%s/node%s' "$cluster_dir" "$1"; }
node_ip() { printf '%s.%s' "${first_ip%.*}" "$((${first_ip##*.} + $1 - 1))"; }
node_jmx() { cat "$(node_dir "$1")/jmx-port"; }

# cluster_ips: prints the addresses of all nodes with SEPARATOR between them.
cluster_ips() {
  local separator=$1 n ips=
  for ((n = 1; n <= nodes; n++)); do ips+=${ips:+$separator}$(node_ip "$n"); done
  printf '%s' "$ips"
}

# node_pid N: prints the pid of node N's process, nothing if it does not run.
# A pid file left behind names no process, or one that is not this node.
node_pid() {
  local dir pid storage
  dir=$(node_dir "$1")
  [[ -r $dir/pid ]] && pid=$(<"$dir/pid") && [[ $pid =~ ^[0-9]+$ ]] || return 0
  storage=-Dcassandra.storagedir=$dir/data
  if [[ -d /proc/self ]]; then
    grep -Fxzqs -e "$storage" "/proc/$pid/cmdline" || return 0
  else
    [[ $(ps -ww -o command= -p "$pid") == *" $storage "* ]] || return 0
  fi
  printf '%s' "$pid"
}

# node_tokens N: prints the tokens of node N. All tokens of the cluster lie evenly
# round the ring, node after node, each moved on by up to half a step, so that
# ranges differ in width as they do elsewhere. Always the same ones.
node_tokens() {
  local n=$1 i k step jitter all=
  step=$(token_step)
  for ((i = 0; i < tokens; i++)); do
    k=$((i * nodes + n - 1))
    # shellcheck disable=SC2017 # in this order it does not overflow
    jitter=$((step / 2000 * (k * 2654435761 % 1000)))
    all+=${all:+,}$((-9223372036854775807 + k * step + jitter))
  done
  printf '%s' "$all"
}

# token_step: prints how far the tokens of the cluster are apart.
token_step() {
  # 64-bit arithmetic wraps round just as the ring does.
  if ((tokens == 1)); then
    printf '%s' "$((9223372036854775807 / nodes * 2))"
  else
    printf '%s' "$((9223372036854775807 / (tokens / 2 * nodes)))"
  fi
}

# joining_tokens N: prints the tokens of node N, which joins: none of them is another node's, and each takes
# a part of a range of another node.
joining_tokens() {
  local n=$1 i step all=
  step=$(token_step)
  for ((i = 0; i < tokens; i++)); do
    all+=${all:+,}$((-9223372036854775807 + (i * nodes + (n - 1) % nodes) * step + step / 4 * 3 + n * 1000003))
  done
  printf '%s' "$all"
}

# choose_jmx_port N: gives the node a JMX port that no other node below $base has
# and no process listens on, if possible the one it had before. Such ports are all of one address.
# The first one tried depends on the node's address, so that clusters of other folders try others.
choose_jmx_port() {
  local file port a b
  IFS=. read -r _ _ a b <<<"$(node_ip "$1")"
  port=$((10000 + (a * 256 + b) % 20000))
  file=$(node_dir "$1")/jmx-port
  lock 8 "$base/.jmx.lock" "the list of JMX ports"
  if [[ -s $file ]]; then port=$(<"$file"); fi
  rm -f "$file"
  while grep -qsx -e "$port" "$base"/*/node*/jmx-port || listening 127.0.0.1 "$port"; do
    port=$((port + 1))
  done
  say "$port" >"$file"
  exec 8>&-
}

# timeouts: prints what the configuration says of how long a node waits for others.
timeouts() {
  local of
  [[ -n $request_timeout ]] || return 0
  for of in read range write counter_write; do say "${of}_request_timeout: $((request_timeout * 1000))ms"; done
}

# sstables: prints what the configuration says of the SSTables that a node writes.
sstables() {
  local mode=CASSANDRA_4
  [[ $sstables == nb ]] || mode=NONE
  say "storage_compatibility_mode: $mode"
  [[ $sstables != da ]] || say $'sstable:\n  selected_format: bti'
}

# fill TEMPLATE: prints it with the words between @ signs filled in for node $n.
fill() {
  local text authenticator=AllowAllAuthenticator authorizer=AllowAllAuthorizer
  if [[ $auth == yes ]]; then
    authenticator=PasswordAuthenticator
    authorizer=CassandraAuthorizer
  fi
  text=$(<"$1")
  text=${text//@CLUSTER@/"$cluster"}
  text=${text//@DC@/"$(((n - 1) % dcs + 1))"}
  text=${text//@RACK@/"$(((n - 1) % racks + 1))"}
  text=${text//@IP@/"$(node_ip "$n")"}
  text=${text//@SEEDS@/"$(cluster_ips ,)"}
  text=${text//@TOKENS@/"$(node_tokens "$n")"}
  text=${text//@NUMBER_OF_TOKENS@/"$tokens"}
  text=${text//@AUTHENTICATOR@/"$authenticator"}
  text=${text//@AUTHORIZER@/"$authorizer"}
  text=${text//@SSTABLES@/"$(sstables)"}
  text=${text//@TIMEOUTS@/"$(timeouts)"}
  text=${text//@TLS@/"$(tls_settings "$n")"}
  say "$text"
}

# for_version: takes a configuration as Cassandra 5.0 has it, and prints it as the
# cluster's version does. An unknown name would keep a node from starting.
for_version() {
  local words=()
  case $version in
    4.*) words+=(-e '/^storage_compatibility_mode:/d') ;;
  esac
  case $version in
    # Units are part of the names.
    4.0.*) words+=(-e 's/^([a-z_]+): ([0-9]+)ms$/\1_in_ms: \2/' -e 's/^([a-z_]+): ([0-9]+)MiB$/\1_in_mb: \2/'
      -e 's/^(materialized_views|drop_compact_storage)_enabled:/enable_\1:/') ;;
  esac
  sed -E ${words[@]+"${words[@]}"} -e ''
}

# prepare_node N: writes its folders and configuration.
prepare_node() {
  local n=$1 dir
  dir=$(node_dir "$n")
  mkdir -p "$dir/conf" "$dir/data" "$dir/logs" "$dir/tmp" "$dir/triggers"
  fill "$here/conf/cassandra.yaml.tmpl" | for_version >"$dir/conf/cassandra.yaml"
  fill "$here/conf/cassandra-rackdc.properties" >"$dir/conf/cassandra-rackdc.properties"
  cp "$here/conf/logback.xml" "$dir/conf/"
  choose_jmx_port "$n"
}

# prepare_joining N: writes those of a node that joins the others.
prepare_joining() {
  local n=$1 conf
  prepare_node "$n"
  conf=$(node_dir "$n")/conf/cassandra.yaml
  sed -E -e 's/^auto_bootstrap: .*/auto_bootstrap: true/' -e "s/^initial_token: .*/initial_token: '$(joining_tokens "$n")'/" "$conf" >"$conf.part"
  # A node that replaces another one has the tokens of that one.
  if [[ -n $replace ]]; then sed -e '/^initial_token:/d' "$conf.part" >"$conf"; else cp "$conf.part" "$conf"; fi
  rm "$conf.part"
}

# closes_soon IP PORT: true if no process listens there any more within ten seconds.
closes_soon() {
  local tenth
  for ((tenth = 0; tenth < 100; tenth++)); do
    listening "$1" "$2" || return 0
    sleep 0.1
  done
  return 1
}

# check_ports N: dies if another process listens where node N is to listen.
check_ports() {
  local ip port other ports=(9042 7000)
  if [[ $tls == yes ]]; then ports+=("$tls_port"); fi
  ip=$(node_ip "$1")
  for port in "${ports[@]}"; do
    listening "$ip" "$port" || continue
    # A process that was killed a moment ago listens until the system has cleared it away.
    if [[ -e $(node_dir "$1")/pid ]] && closes_soon "$ip" "$port"; then continue; fi
    other=$(running_cluster_at "$ip")
    if [[ -n $other ]]; then
      die "$ip:$port is in use by cluster $other, which is up" \
        "Stop it:          $0 down --cluster $other$dir_hint" \
        "or go elsewhere:  $0 up --cluster NAME --first-ip 127.0.10.1$dir_hint"
    fi
    die "$ip:$port is in use by another program; node $1 of cluster $cluster needs it" \
      "See who it is:    ss -ltnp 'sport = :$port'   (or: lsof -iTCP:$port -sTCP:LISTEN)" \
      "or go elsewhere:  $0 up --cluster NAME --first-ip 127.0.10.1$dir_hint"
  done
}

# start_node N [OPTION...]: starts the process, in a session of its own, and does not wait
# until it is of use.
start_node() {
  local n=$1 dir pid heap_mb collector=-XX:+UseG1GC
  shift
  dir=$(node_dir "$n")
  heap_mb=${heap%[mMgG]}
  [[ $heap != *[gG] ]] || heap_mb=$((heap_mb * 1024))
  # Below 2 GiB several collector threads per node are only in each other's way.
  ((heap_mb >= 2048)) || collector=-XX:+UseSerialGC
  # Half of what a node does that is asked little is to look at the clock every 2 ms, and a
  # password is checked for each connection, by default with 1024 rounds.
  local less=()
  [[ $short_lived != yes ]] || less=(-XX:TieredStopAtLevel=1
    -Dcassandra.approximate_time_precision_ms=20 -Dcassandra.auth_bcrypt_gensalt_log2_rounds=4)
  local cmd=("$java_home/bin/java"
    "@$here/conf/jvm-modules.options" "@$here/conf/jvm-server.options"
    "-Xms${heap_mb}m" "-Xmx${heap_mb}m" "$collector" ${less[@]+"${less[@]}"}
    "-javaagent:$(printf '%s' "$(jars_dir)"/jamm-*.jar)"
    "-Djava.io.tmpdir=$dir/tmp" "-Dcassandra.triggers_dir=$dir/triggers"
    "-XX:ErrorFile=$dir/logs/hs_err_%p.log"
    "-Dcassandra.jmx.local.port=$(node_jmx "$n")"
    "-Dcassandra.system_auth.default_rf=$nodes"
    "-Dcassandra.logdir=$dir/logs" "-Dcassandra.storagedir=$dir/data" "$@"
    -cp "$dir/conf:$(jars_dir)/*" org.apache.cassandra.service.CassandraDaemon)
  (
    cd "$dir" || exit
    # The locks stay behind: 8 and 9 are closed in what lives on.
    if command -v setsid >/dev/null 2>&1; then cmd=(setsid "${cmd[@]}"); fi
    nohup "${cmd[@]}" </dev/null >logs/output.log 2>&1 8>&- 9>&- &
    say $! >pid
  )
  # Until the new process has become java, node_pid does not know it.
  pid=$(<"$dir/pid")
  while [[ -z $(node_pid "$n") ]] && kill -0 "$pid" 2>/dev/null; do sleep 0.02; done
}

# stop_nodes SIGNAL N...: the signal to all of them, then waits until each has gone;
# SIGKILL for one that is still there after 60 s.
stop_nodes() {
  local signal=$1 n pid deadline=$((SECONDS + 60))
  shift
  for n in "$@"; do
    pid=$(node_pid "$n")
    if [[ -n $pid ]]; then kill "-$signal" "$pid" 2>/dev/null || true; fi
  done
  for n in "$@"; do
    while pid=$(node_pid "$n") && [[ -n $pid ]]; do
      if ((SECONDS >= deadline)); then
        note "node $n (pid $pid) did not stop within 60 s; killing it"
        kill -KILL "$pid" 2>/dev/null || true
      fi
      sleep 0.2
    done
    rm -f "$(node_dir "$n")/pid"
  done
}

# show_log N: prints the end of what node N said, on stderr.
show_log() {
  local file dir
  dir=$(node_dir "$1")
  for file in "$dir/logs/output.log" "$dir/logs/system.log"; do
    [[ -s $file ]] || continue
    note "the last lines of $file:"
    tail -n 30 "$file" | cut -c 1-300 >&2
  done
}
