# make check is what CI runs.
.PHONY: check fmt vet staticcheck race generated tidy build conformance ui e2e scale screenshots

check: fmt vet staticcheck tidy generated ui race

build:
	go build -o spade ./cmd/spade

fmt:
	@files=$$(gofmt -l .); if [ -n "$$files" ]; then echo "gofmt would change: $$files"; exit 1; fi

vet:
	go vet ./...
	GOARCH=arm64 go vet ./...

staticcheck:
	go tool staticcheck ./...

race:
	go test -race -timeout 25m ./...

# Generated files must be what their generators write.
generated:
	go generate ./...
	git diff --exit-code -- policy/local/kernel library

# The dashboard's front end must be what web/ui builds: equal sources give equal bytes. Where npm cannot install the
# tools (no network, or too old an npm), there is nothing to compare.
ui:
	@cd web/ui && if ! command -v npm >/dev/null || ! npm ci --no-audit --no-fund --silent; then \
		echo "ui: skipped, npm cannot install the tools here (Node 20.19 and npm 11 or newer can)"; else \
		npm run --silent check && npm run --silent build && git diff --exit-code -- ../dist; fi

# The dashboard in a real browser.
e2e:
	@if ! chromium --version >/dev/null 2>&1 || ! test -d web/ui/node_modules/playwright-core; then \
		echo "e2e: skipped, it needs chromium (apt-get install chromium) and make ui before it"; else \
		go build -o web/ui/node_modules/.spade ./cmd/spade && cd web/ui && node e2e/run.mjs node_modules/.spade; fi

# What the dashboard of a run of 10,000 environments and 300,000 episodes takes: RUN multiplied (docs/dashboard.md).
RUN ?= runs/spade-seed1
scale:
	go build -o web/ui/node_modules/.spade ./cmd/spade
	rm -rf web/ui/node_modules/.scale
	go run ./store/manyfold $(RUN) web/ui/node_modules/.scale/large
	cd web/ui && node e2e/scale.mjs node_modules/.spade node_modules/.scale/large

# The screenshots of docs/dashboard.
screenshots:
	go build -o web/ui/node_modules/.spade ./cmd/spade
	cd web/ui && node e2e/screenshots.mjs node_modules/.spade $(abspath $(RUN)) ../../docs/dashboard
	pngquant --force --ext .png --skip-if-larger --speed 1 docs/dashboard/*.png

tidy:
	go mod tidy -diff

# Our servers against the packages that other people use. Not part of check: it downloads a few hundred megabytes.
conformance:
	test -d .conformance || python3 -m venv .conformance
	.conformance/bin/pip install -q tinker==0.38.0 openai transformers trl
	.conformance/bin/pip install -q --no-deps atroposlib && .conformance/bin/pip install -q fastapi uvicorn
	SPADE_TINKER_PYTHON=$(CURDIR)/.conformance/bin/python SPADE_TRL_PYTHON=$(CURDIR)/.conformance/bin/python \
		SPADE_ATROPOS_PYTHON=$(CURDIR)/.conformance/bin/python \
		go test -count=1 -v -run 'OfficialClient|PythonPackage' ./serve/...
