# shellcheck shell=bash disable=SC2154 # variables are set in ../cassandra
# The certificates of a cluster made with --tls or --internode-tls: an authority of its own, one for
# each node with its address, one for clients. They are of use only to this cluster,
# lie in its folder, and are removed with it.

# The port on which nodes speak TLS and want to see a client's certificate; 9042
# stays a plain one beside it.
tls_port=9142
tls_password=throwaway

tls_dir() { printf '%s/tls' "$cluster_dir"; }

# keypair ALIAS COMMON_NAME ARGS...: adds a key and its certificate to all.p12.
keypair() {
  local alias=$1 name=$2
  shift 2
  "$java_home/bin/keytool" -genkeypair -alias "$alias" -dname "CN=$name, O=cqlbulk test clusters" \
    -keyalg EC -groupname secp256r1 -validity 3650 "$@" \
    -keystore "$(tls_dir)/all.p12" -storetype PKCS12 -storepass "$tls_password" >"$(tls_dir)/keytool.log" 2>&1 ||
    die "keytool could not make the certificate of $alias: $(tail -n 1 "$(tls_dir)/keytool.log")"
}

# make_certificates: fills the cluster's tls folder if it is not filled yet.
make_certificates() (
  local n dir
  dir=$(tls_dir)
  [[ ! -s $dir/client-key.pem ]] || return 0
  umask 077
  rm -rf "$dir"
  mkdir -p "$dir"
  keypair ca "$cluster authority" -ext bc:c=ca:true -ext ku:c=keyCertSign,cRLSign
  for ((n = 1; n <= nodes; n++)); do
    keypair "node$n" "node$n.$cluster" -signer ca \
      -ext "san=ip:$(node_ip "$n"),dns:node$n.$cluster" -ext eku=serverAuth,clientAuth
  done
  # Nodes bring files to clients that ask for them, which are servers then.
  keypair client client -signer ca -ext eku=serverAuth,clientAuth
  "$java_home/bin/java" -XX:TieredStopAtLevel=1 "$here/Certificates.java" "$dir" "$tls_password" ||
    die "the certificates in $dir could not be taken apart"
  # The authority's key has done its work.
  rm -f "$dir/all.p12" "$dir/keytool.log"
)

# tls_settings N: prints what the configuration of node N says of TLS.
tls_settings() {
  if [[ $tls == yes ]]; then
    printf '\nnative_transport_port_ssl: %s\nclient_encryption_options:\n  enabled: true\n' "$tls_port"
    tls_stores "$1"
  fi
  if [[ $internode_tls == yes ]]; then
    printf '\nserver_encryption_options:\n  internode_encryption: all\n'
    tls_stores "$1"
  fi
}

# tls_stores N: prints what both kinds of connections of node N have in common.
tls_stores() {
  cat <<END
  optional: false
  require_client_auth: true
  keystore: '$(tls_dir)/node$1.p12'
  keystore_password: $tls_password
  truststore: '$(tls_dir)/trust.p12'
  truststore_password: $tls_password
  store_type: PKCS12
END
}
