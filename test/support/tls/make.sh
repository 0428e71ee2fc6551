#!/bin/sh
# Makes new certificates for the test targets. Only their authority's certificate is kept, not its key, so all are
# made at once. They are for tests alone: the key of the targets is public.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

FROM=20200101000000Z
TO=21200101000000Z

key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1" 2>/dev/null; }

cat > "$work/ca.cnf" <<CNF
[ca]
default_ca = authority
[authority]
new_certs_dir = $work
database = $work/index
serial = $work/serial
default_md = sha256
policy = policy
unique_subject = no
[policy]
commonName = supplied
[authority_extensions]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign
subjectKeyIdentifier = hash
[localhost]
subjectAltName = DNS:localhost, DNS:target.test, IP:127.0.0.1, IP:::1
[elsewhere]
subjectAltName = DNS:elsewhere.test
CNF
: > "$work/index"
echo 01 > "$work/serial"

# sign <certificate> <common name> <extensions> <from> <to> <options that say who signs>
sign() {
  out=$1 name=$2 extensions=$3 from=$4 to=$5
  shift 5
  openssl req -new -key "$subject_key" -subj "/CN=$name" -out "$work/request.pem"
  openssl ca -batch -notext -config "$work/ca.cnf" -extensions "$extensions" -in "$work/request.pem" -out "$out" \
    -startdate "$from" -enddate "$to" "$@" 2>/dev/null
}

key "$work/authority.key"
key "$work/unknown.key"
key key.pem

subject_key=$work/authority.key
sign authority.pem 'Test authority' authority_extensions $FROM $TO -selfsign -keyfile "$work/authority.key"
subject_key=$work/unknown.key
sign "$work/unknown.pem" 'Unknown authority' authority_extensions $FROM $TO -selfsign -keyfile "$work/unknown.key"

subject_key=key.pem
set -- -cert authority.pem -keyfile "$work/authority.key"
sign trusted.pem localhost localhost $FROM $TO "$@"
sign expired.pem localhost localhost $FROM 20200201000000Z "$@"
sign not-yet-valid.pem localhost localhost 21100101000000Z $TO "$@"
sign other-host.pem elsewhere.test elsewhere $FROM $TO "$@"
sign unknown-authority.pem localhost localhost $FROM $TO -cert "$work/unknown.pem" -keyfile "$work/unknown.key"
sign self-signed.pem localhost localhost $FROM $TO -selfsign -keyfile key.pem
