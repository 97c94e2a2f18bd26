# make check is what CI runs.
.PHONY: check fmt vet staticcheck race generated tidy build conformance

check: fmt vet staticcheck tidy generated race

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
	go test -race -timeout 40m ./...

# Generated files must be what their generators write.
generated:
	go generate ./...
	git diff --exit-code -- policy/local/kernel library

tidy:
	go mod tidy -diff

# Our servers against the packages that other people use. Not part of check: it downloads a few hundred megabytes.
conformance:
	test -d .conformance || python3 -m venv .conformance
	.conformance/bin/pip install -q tinker==0.38.0 openai transformers trl
	SPADE_TINKER_PYTHON=$(CURDIR)/.conformance/bin/python SPADE_TRL_PYTHON=$(CURDIR)/.conformance/bin/python \
		go test -count=1 -v -run 'OfficialClient|PythonPackage' ./serve/...
