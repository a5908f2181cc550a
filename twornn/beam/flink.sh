#!/usr/bin/env bash
# Runs the command fit on a Flink session cluster on this machine:
#
#   FLINK_HOME=~/flink-1.19.3 JOB_SERVER=~/beam-runners-flink-1.19-job-server-2.77.0.jar \
#     ./flink.sh --input "$PWD/data/*.csv" --target wind_speed --output "$PWD/model.json"
#
# FLINK_HOME is an unpacked release of Flink, JOB_SERVER the job server that Beam publishes on
# Maven Central for that version of Flink. It needs Java and Go. Cluster and job server are
# stopped at the end.
set -euo pipefail

die() { echo "flink.sh: $*" >&2; exit 1; }

[[ -x "${FLINK_HOME:-}/bin/start-cluster.sh" ]] || die 'FLINK_HOME is no release of Flink; unpack one and set it'
[[ -f "${JOB_SERVER:-}" ]] || die 'JOB_SERVER is no file; fetch beam-runners-flink-<version of Flink>-job-server-<version of Beam>.jar and set it'
command -v java >/dev/null || die 'there is no java on the PATH; install Java 11 or 17'

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
server=
finish() {
	[[ -z $server ]] || kill "$server" 2>/dev/null || true
	"$FLINK_HOME/bin/stop-cluster.sh" >/dev/null || true
	rm -rf -- "$work"
}
trap finish EXIT

go -C "$here" build -o "$work/fit" ./cmd/fit
"$FLINK_HOME/bin/start-cluster.sh"
java -jar "$JOB_SERVER" --flink-master localhost:8081 --artifacts-dir "$work" \
	--job-port 8099 --artifact-port 8098 --expansion-port 8097 >"$work/server.log" 2>&1 &
server=$!
for second in $(seq 61); do
	(exec 3<>/dev/tcp/localhost/8099) 2>/dev/null && break
	kill -0 "$server" 2>/dev/null || { cat "$work/server.log" >&2; die 'the job server has ended'; }
	[[ $second -le 60 ]] || die 'the job server does not answer at port 8099'
	sleep 1
done
# LOOPBACK: the workers are in the program itself, which sees the files of this machine.
"$work/fit" --runner flink --endpoint localhost:8099 --environment_type LOOPBACK --parallelism "${PARALLELISM:-2}" "$@"
