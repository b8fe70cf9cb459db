# shellcheck shell=bash disable=SC2154,SC2030,SC2031 # variables are set in ../cassandra; the one subshell means to keep its own
# The commands. What a cluster is (version, nodes, first IP and so on) is kept in its
# folder, in the file cluster.env, from the first up until it is wiped.

cluster_exists() { [[ -s $cluster_dir/cluster.env ]]; }

# saved KEY [DIR]: prints a value from a cluster's cluster.env.
saved() { sed -n "s/^$1=//p" "${2:-$cluster_dir}/cluster.env"; }

# load_cluster: takes from the folder what is kept there; refuses options that contradict it. heap may change from one start to the next.
load_cluster() {
  local key given was
  for key in version nodes dcs racks tokens first_ip auth tls internode_tls sstables short_lived request_timeout; do
    given=${!key} was=$(saved "$key")
    # Clusters that do not say were made when there was one version, one datacenter, a rack for each node, 16 tokens, and SSTables of version nb.
    case $key in
      version) was=${was:-5.0.6} ;;
      dcs) was=${was:-1} ;;
      racks) was=${was:-3} ;;
      tokens) was=${was:-16} ;;
      sstables) was=${was:-nb} ;;
    esac
    if [[ -n $given && $given != "$was" ]]; then
      case $key in
        auth | tls | internode_tls | short_lived) was="without --${key/_/-}, not with it" ;;
        *) was="with --${key/_/-} ${was:-as by default}, not $given" ;;
      esac
      die "cluster $cluster was made $was" \
        "A cluster keeps what it was made with. Either take another name (--cluster NAME), or:" \
        "  $0 wipe --cluster $cluster$dir_hint     (its data is lost)" \
        "and bring it up again."
    fi
    printf -v "$key" '%s' "$was"
  done
  heap=${heap:-$(saved heap)}
}

save_cluster() {
  mkdir -p "$cluster_dir"
  printf '%s\n' "version=$version" "nodes=$nodes" "dcs=$dcs" "racks=$racks" "tokens=$tokens" "first_ip=$first_ip" "auth=$auth" "tls=$tls" "internode_tls=$internode_tls" \
    "sstables=$sstables" "short_lived=$short_lived" "request_timeout=$request_timeout" "heap=$heap" >"$cluster_dir/cluster.env.part"
  mv "$cluster_dir/cluster.env.part" "$cluster_dir/cluster.env"
}

need_cluster() {
  cluster_exists || die "there is no cluster $cluster in $base" "Make it: $0 up --cluster $cluster$dir_hint"
  load_cluster
}

# running_cluster_at IP: prints the name of the cluster below $base that has a
# running node on IP, if any.
running_cluster_at() (
  for env in "$base"/*/cluster.env; do
    [[ -e $env ]] || continue
    cluster_dir=${env%/*}
    nodes=$(saved nodes) first_ip=$(saved first_ip)
    for ((n = 1; n <= nodes; n++)); do
      if [[ $(node_ip "$n") == "$1" && -n $(node_pid "$n") ]]; then
        printf '%s' "${cluster_dir##*/}"
        return 0
      fi
    done
  done
)

# ready SECONDS: waits until the cluster is of use; see Ready.java for the exit codes.
ready() {
  local n targets=()
  for ((n = 1; n <= nodes; n++)); do
    targets+=("$(node_ip "$n"):$(node_jmx "$n"):$(<"$(node_dir "$n")/pid")")
  done
  "$java_home/bin/java" -Xmx64m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
    -cp "$ready_dir" Ready "$1" "${targets[@]}"
}

started=()

stop_started() {
  trap - INT TERM
  if ((${#started[@]} > 0)); then stop_nodes TERM "${started[@]}"; fi
}

fail_start() {
  local n shown=
  for n in "${started[@]}"; do
    if [[ -z $(node_pid "$n") ]]; then show_log "$n" && shown=yes; fi
  done
  if [[ -z $shown ]]; then show_log "${started[0]}"; fi
  stop_started
  die "cluster $cluster did not come up: $1" \
    "Whole logs:        $cluster_dir/node*/logs/" \
    "On a busy machine: $0 up --cluster $cluster$dir_hint --timeout 600" \
    "To start again:    $0 wipe --cluster $cluster$dir_hint     (its data is lost)"
}

print_contacts() {
  say "contact points: $(cluster_ips ,), port 9042, $( ((dcs == 1)) && printf 'datacenter dc1' || printf 'datacenters dc1 to dc%s' "$dcs")"
  if [[ $auth == yes ]]; then say "superuser:      cassandra, password cassandra"; fi
  if [[ $tls == yes ]]; then
    say "TLS:            port $tls_port, --ssl --cacert $(tls_dir)/ca.pem --cert $(tls_dir)/client.pem --key $(tls_dir)/client-key.pem"
  fi
  if [[ $internode_tls == yes ]]; then say "between nodes:  port 7000, with the files ca.pem, client.pem and client-key.pem in $(tls_dir)"; fi
  say "stop it with:   $0 down --cluster $cluster$dir_hint"
}

cmd_up() {
  local n probe rc=0
  find_java
  mkdir -p "$base"
  lock 9 "$base/.$cluster.lock" "cluster $cluster"
  if cluster_exists; then
    load_cluster
  else
    version=${version:-$default_version} nodes=${nodes:-1} dcs=${dcs:-1} racks=${racks:-3} tokens=${tokens:-16} first_ip=${first_ip:-127.0.0.1} auth=${auth:-no} tls=${tls:-no} internode_tls=${internode_tls:-no} sstables=${sstables:-nb} short_lived=${short_lived:-no} heap=${heap:-1G}
  fi
  [[ $sstables == nb || $version == 5.* ]] || die "--sstables $sstables: Cassandra $version writes others"
  ((dcs <= nodes)) || die "--dcs $dcs: there are $nodes nodes"
  ((${first_ip##*.} + nodes <= 255)) || die "no room for $nodes nodes from $first_ip on"
  # Cassandra reports to a client one port of each other node, and that is the plain one.
  [[ $tls != yes || $nodes == 1 ]] || die "--tls is for a cluster of one node, not of $nodes"
  fetch_jars
  compile_ready

  for ((n = 1; n <= nodes; n++)); do
    [[ -z $(node_pid "$n") ]] || continue
    check_ports "$n"
    started+=("$n")
  done
  if ((${#started[@]} > 0)); then
    save_cluster
    if [[ $tls == yes || $internode_tls == yes ]]; then make_certificates; fi
    for n in "${started[@]}"; do prepare_node "$n"; done
    trap 'stop_started; exit 130' INT TERM
    note "starting node ${started[*]} of $nodes (cluster $cluster; logs in $cluster_dir/node*/logs)"
    for n in "${started[@]}"; do start_node "$n"; done
  fi

  # In the background, so that a signal is heard while waiting.
  ready "$timeout" 2>"$cluster_dir/ready.log" 9>&- &
  probe=$!
  wait "$probe" || rc=$?
  trap - INT TERM
  if ((rc != 0)); then
    if ((${#started[@]} > 0)); then fail_start "$(<"$cluster_dir/ready.log")"; fi
    die "cluster $cluster runs, but is not ready: $(<"$cluster_dir/ready.log")" \
      "Look at: $0 status --cluster $cluster$dir_hint, $0 logs --cluster $cluster$dir_hint"
  fi
  if ((${#started[@]} == 0)); then
    say "cluster $cluster is already up: Cassandra $version, $nodes node(s)"
  else
    say "cluster $cluster is up: Cassandra $version, $nodes node(s)"
  fi
  print_contacts
}

# all_nodes: prints the numbers of all nodes that have a folder, those that have joined among them.
all_nodes() {
  local dir
  for dir in "$cluster_dir"/node[0-9]*; do
    [[ ! -d $dir ]] || say "${dir##*/node}"
  done
}

# cmd_join: starts one more node, and does not wait until it is of use.
cmd_join() {
  local n options=()
  need_cluster
  find_java
  lock 9 "$base/.$cluster.lock" "cluster $cluster"
  for ((n = nodes + 1; n <= 9; n++)); do [[ -e $(node_dir "$n") ]] || break; done
  ((n <= 9)) || die "cluster $cluster has had nine nodes" "Start over: $0 wipe --cluster $cluster$dir_hint"
  if [[ -n $replace ]]; then
    valid_node "$replace"
    [[ -z $(node_pid "$replace") ]] || die "node $replace runs: only one that is down can be replaced"
    options+=("-Dcassandra.replace_address_first_boot=$(node_ip "$replace")")
  fi
  if [[ $survey == yes ]]; then options+=(-Dcassandra.write_survey=true); fi
  if [[ -n $ring_delay ]]; then options+=("-Dcassandra.ring_delay_ms=$((ring_delay * 1000))"); fi
  check_ports "$n"
  prepare_joining "$n"
  start_node "$n" ${options[@]+"${options[@]}"}
  say "$n"
}

# cmd_down [SIGNAL]: stops the nodes by that signal (default: TERM).
cmd_down() {
  local n running=()
  if [[ -d $base ]]; then lock 9 "$base/.$cluster.lock" "cluster $cluster"; fi
  if ! cluster_exists; then # or another run has wiped it
    say "cluster $cluster is not up (there is none in $base)"
    return 0
  fi
  load_cluster
  for n in $(all_nodes); do
    if [[ -n $(node_pid "$n") ]]; then running+=("$n"); else rm -f "$(node_dir "$n")/pid"; fi
  done
  if ((${#running[@]} == 0)); then
    say "cluster $cluster is not up"
    return 0
  fi
  stop_nodes "${1:-TERM}" "${running[@]}"
  say "cluster $cluster is down; its data is kept"
}

cmd_wipe() {
  if ! cluster_exists; then
    say "there is no cluster $cluster in $base"
    return 0
  fi
  cmd_down KILL >/dev/null # there is nothing that they need write down
  rm -rf "$cluster_dir"
  say "cluster $cluster is wiped"
}

# cmd_status: exit code 0 if all nodes are ready, 3 if not.
cmd_status() {
  local n pid state missing=0 reason
  if ! cluster_exists; then
    say "there is no cluster $cluster in $base"
    return 3
  fi
  load_cluster
  for ((n = 1; n <= nodes; n++)); do
    pid=$(node_pid "$n")
    if [[ -n $pid ]]; then
      state="running, pid $pid, JMX port $(node_jmx "$n")"
    else
      state="not running" missing=$((missing + 1))
    fi
    say "node $n  $(node_ip "$n"):9042  $state"
  done
  if ((missing > 0)); then
    say "cluster $cluster (Cassandra $version): $missing of $nodes node(s) not running"
    return 3
  fi
  find_java
  compile_ready
  if reason=$(ready 0 2>&1); then
    say "cluster $cluster is up and ready: Cassandra $version"
    return 0
  fi
  say "cluster $cluster (Cassandra $version) is not ready: $reason"
  return 3
}

# cmd_logs [NODE]: the last 100 lines of a node's log.
cmd_logs() {
  local n=${1:-1} dir
  need_cluster
  valid_node "$n"
  dir=$(node_dir "$n")/logs
  note "$dir/system.log; what the JVM itself said is in output.log beside it"
  [[ -e $dir/system.log ]] || die "node $n has logged nothing yet"
  tail -n 100 "$dir/system.log"
}

# cmd_nodetool [NODE] ARGS...
cmd_nodetool() {
  local n=1
  need_cluster
  if [[ ${1:-} =~ ^[0-9]+$ ]]; then
    n=$1
    shift
    valid_node "$n"
  fi
  [[ -n $(node_pid "$n") ]] || die "node $n of cluster $cluster is not running" \
    "Start it: $0 up --cluster $cluster$dir_hint"
  find_java
  tool_java org.apache.cassandra.tools.NodeTool -h 127.0.0.1 -p "$(node_jmx "$n")" "$@"
}

valid_node() {
  [[ $1 =~ ^[1-9]$ && -d $(node_dir "$1") ]] || die "cluster $cluster has no node $1; it has $nodes"
}
