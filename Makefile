# The commands of this repository; `make` alone lists them.

GO        ?= go
PLATFORMS ?= linux/arm64 darwin/arm64 windows/amd64
BENCH     ?= .
FUZZTIME  ?= 10s
QUESTION  ?=
export QUESTION

.PHONY: help demo test vet race ceilings cross lint sdkcheck bench fuzz clean

help: ## list the commands
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 20

demo: ## ask a built-in question about built-in data: no key, no network (QUESTION="..." asks another)
	@scripts/setup demo
	@echo "building helioai (the first time this takes a minute or two)"
	@$(GO) run ./cmd/helioai ask --provider offline $${QUESTION:+"$$QUESTION"}

test: ## set up, vet, all tests with the race detector, allocation ceilings, three other platforms
	@scripts/setup test
	@$(MAKE) --no-print-directory vet race ceilings cross

vet:
	$(GO) vet ./...

race:
	CGO_ENABLED=1 $(GO) test -race -shuffle=on ./...

ceilings:
	@GO="$(GO)" scripts/ceilings

cross:
	@set -e; for platform in $(PLATFORMS); do \
		echo "build and vet for $$platform"; \
		GOOS=$${platform%/*} GOARCH=$${platform#*/} CGO_ENABLED=0 $(GO) build -buildvcs=false ./...; \
		GOOS=$${platform%/*} GOARCH=$${platform#*/} CGO_ENABLED=0 $(GO) vet ./...; \
	done

lint: ## the linters of .golangci.yml, and a go.mod that is tidy
	$(GO) mod tidy -diff
	$(GO) tool -modfile=tools/go.mod golangci-lint run

sdkcheck: ## our providers beside the official Go clients (building those takes minutes and 3 GB)
	@cd internal/sdkcheck && $(GO) vet -p 1 ./... && $(GO) test -p 1 -timeout 20m ./...

bench: ## all benchmarks with their allocations (BENCH=regexp picks some)
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem ./...

fuzz: ## every fuzz target for a short while (FUZZTIME=5m for longer)
	@GO="$(GO)" scripts/fuzz $(FUZZTIME)

clean: ## remove what the commands above have built
	rm -rf bin build
