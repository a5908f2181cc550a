#!/bin/sh
# Starts GoNB on the module this file lies in, with the tools of ../../bin.
# Jupyter calls it with the connection file; nothing here names a folder, so the
# repository may be moved, and nothing is written outside it but Go's own caches.
set -eu

kernel=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd -P)
repo=$(CDPATH='' cd -- "$kernel/../.." && pwd -P)

for tool in gonb goimports; do
	if [ ! -x "$kernel/bin/$tool" ]; then
		# Building takes longer than Jupyter waits for a kernel, so do not start it here.
		echo "The kernel's tools are not built yet: run \"make setup\" in $repo, then restart the kernel." >&2
		exit 1
	fi
done

# GoNB makes a workspace of its own; GOWORK=off would kill it at the start. A value
# for GOFLAGS hides both the environment's and the one "go env -w" may have stored,
# such as -mod=mod, which go refuses in a workspace.
unset GOWORK
export GOFLAGS=-buildvcs=false

# GoNB runs "go get" before each cell. With no proxy that can only find what go.mod
# here pins; with one it would silently prefer newer versions.
export GOPROXY=off

export GOPLSCACHE="$repo/notebooks/out/gopls"
export PATH="$kernel/bin:$PATH"

# GoNB splits the list of modules at commas, so a folder with one in its name goes
# by another name.
case $repo in
*,*)
	link=$(mktemp -d "${TMPDIR:-/tmp}/twornn.XXXXXX")
	ln -s "$repo" "$link/repo"
	repo=$link/repo
	;;
esac

# GoNB logs to the terminal, at each start a test line that reads "Error message", at each
# end the stack of a healthy gopls. It goes to a file, as does all that is no fatal error.
log=/dev/null
if mkdir -p "$repo/notebooks/out" 2>/dev/null && [ -w "$repo/notebooks/out" ]; then
	log=$repo/notebooks/out/kernel.log
	if [ -f "$log" ] && [ "$(wc -c <"$log")" -gt 1000000 ]; then
		: >"$log"
	fi
fi

exec gonb -kernel "$1" -go_work="$repo" \
	-logtostderr=false -stderrthreshold=FATAL -log_file="$log"
