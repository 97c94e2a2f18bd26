"""Leases from `spade serve rollouts`, with the standard library only."""

import json
import os
import time
import urllib.error
import urllib.request


class Exhausted(Exception):
    """The run is over, and all its rollouts are leased."""


class Client:
    """A client of one server. It waits for rollouts that are not there yet, and for a server that is being restarted."""

    def __init__(self, url=None, token=None, patience=600.0):
        """patience is for how many seconds a server may be out of reach before that is an error."""
        self.url = (url or os.environ.get("SPADE_ROLLOUTS", "http://127.0.0.1:8700")).rstrip("/")
        self.token = token or os.environ.get("SPADE_SERVE_TOKEN")
        self.patience = patience

    def lease(self, rollout_id, n):
        """n groups under the number rollout_id, and metrics of them: ([[sample, …], …], {name: value}).

        The same number gives the same groups, whoever asks and however often.
        """
        while True:
            answer = self._post("/v1/rollouts:lease", {"rollout_id": rollout_id, "n": n})
            if answer["done"]:
                raise Exhausted(f"{self.url} has fewer than {n} groups left, and the run is over")
            if not answer["pending"]:
                for sample in (s for group in answer["groups"] for s in group):
                    check(sample)
                return answer["groups"], answer["metrics"]

    def ack(self, rollout_id):
        """Says that progress up to rollout_id is saved."""
        self._post("/v1/rollouts:ack", {"rollout_id": rollout_id})

    def _post(self, path, body):
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), headers)
        wait, deadline = 0.25, time.monotonic() + self.patience
        while True:
            try:
                with urllib.request.urlopen(request, timeout=60) as response:
                    return json.load(response)
            except urllib.error.HTTPError as e:
                detail = e.read().decode(errors="replace").strip()
                if e.code < 500:
                    raise RuntimeError(f"{self.url}{path} answers {e.code}: {detail}") from None
                failure = f"{e.code}: {detail}"
            except (OSError, json.JSONDecodeError) as e:
                failure = str(e)
            if time.monotonic() + wait > deadline:
                raise RuntimeError(f"{self.url}{path} is out of reach: {failure}")
            time.sleep(wait)
            wait = min(2 * wait, 15.0)


def check(sample):
    """Refuses a sample that would be trained on wrongly."""
    n = sample["response_length"]
    if not 0 < n < len(sample["tokens"]) or len(sample["loss_mask"]) != n or len(sample["rollout_log_probs"]) != n:
        raise ValueError(
            f"sample {sample['index']}: {len(sample['tokens'])} tokens, a response of {n}, a mask of "
            f"{len(sample['loss_mask'])} and {len(sample['rollout_log_probs'])} log-probabilities"
        )
