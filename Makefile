# Two commands matter: "make quickstart" shows what this is, "make test" checks it.
# Both set up what they need first. All the work is in notebooks/run, which also
# says what it does.

# A workspace around the clone, or flags such as -mod=mod, must not change what is built.
export GOWORK := off
export GOFLAGS := -buildvcs=false

run := go run ./notebooks/run

.PHONY: help bench quickstart test lab-test lab notebooks pages handout setup clean go

help:
	@echo 'make quickstart  run the first notebook: a forecast of real wind, with its scores and figures'
	@echo 'make test        gofmt, vet, staticcheck, the Go tests, and every notebook run by Jupyter'
	@echo 'make lab-test    run the first notebook, or NOTEBOOKS, in JupyterLab itself, in a browser without a window'
	@echo 'make lab         open the notebooks in JupyterLab, or in Notebook where there is no JupyterLab to be had'
	@echo 'make notebooks   run the notebooks and keep their outputs in them, as they are committed'
	@echo 'make pages       the course as HTML pages that need no network, in notebooks/out/pages'
	@echo 'make handout     a copy of the course as committed, without the solutions: notebooks/out/course.zip'
	@echo 'make setup       build the kernel and find or install Jupyter; the others do this first'
	@echo 'make bench       the benchmarks, on one core, into notebooks/out/bench.txt (twornn/BENCHMARKS.md says how to read it)'
	@echo 'make clean       remove all that was built, the virtual environment and the pages'
	@echo 'A notebook of your own, x.ipynb, runs into notebooks/out with: $(run) exec x.ipynb'

quickstart test setup pages: go
	@$(run) $@

lab-test: go
	@$(run) labtest $(NOTEBOOKS)

# Not by "go run", which fails whenever it is interrupted: Ctrl-C is how this ends.
lab: go
	@go build -o notebooks/kernel/bin/run ./notebooks/run && exec notebooks/kernel/bin/run lab

# One core, so that times compare; six runs each, for benchstat.
bench: go
	@mkdir -p notebooks/out
	GOMAXPROCS=1 go test ./twornn -run '^$$' -bench . -benchmem -benchtime 0.5s -count $(or $(COUNT),6) -timeout 60m > notebooks/out/bench.txt || { cat notebooks/out/bench.txt; exit 1; }
	@cat notebooks/out/bench.txt

notebooks: go
	@$(run) update

handout:
	@mkdir -p notebooks/out
	@git archive --format=zip --prefix=course/ -o notebooks/out/course.zip HEAD -- . ':(exclude)notebooks/solutions'
	@echo 'notebooks/out/course.zip: the course without solutions; the answers stay in notebooks/solutions'

clean:
	rm -rf notebooks/kernel/bin notebooks/kernel/venv notebooks/out

# An old go cannot read go.mod, or fetches a newer one by itself where it may.
go:
	@command -v go >/dev/null || { echo 'Go is not installed or not on the PATH: install Go 1.26 or newer.' >&2; exit 1; }
	@[ "$$(go env GOCACHE)" != off ] && [ -n "$$(go env GOMODCACHE)" ] || \
		{ echo 'Go has no place for its caches: set HOME, or both GOCACHE and GOMODCACHE.' >&2; exit 1; }
	@go list -m >/dev/null 2>&1 || { echo "This needs Go 1.26 or newer, and go here is $$(cd / && go version)." >&2; exit 1; }
	@[ -w notebooks ] && [ -w notebooks/kernel ] || \
		{ echo 'This folder is read-only, and what is built goes into it: copy it to where you may write, and run make there.' >&2; exit 1; }
	@[ -e notebooks/kernel/bin/stamp ] || echo 'The first time this takes some minutes: Go compiles its library and the kernel.'
