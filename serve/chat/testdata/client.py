"""Asks a served policy through the openai package, and holds whole and streamed answers against each other."""

import openai

client = openai.OpenAI()
names = [m.id for m in client.models.list()]
assert names == ["m", "m:designer"], names
ask = dict(model="m", seed=3, max_tokens=30, logprobs=True, messages=[{"role": "user", "content": "crane mod 8 at 3"}])
whole = client.chat.completions.create(**ask, extra_body={"return_token_ids": True})
choice = whole.choices[0]
assert choice.message.content.startswith("\\boxed{"), choice.message.content
assert len(choice.logprobs.content) == whole.usage.completion_tokens == len(choice.token_ids)
assert len(whole.prompt_token_ids) == whole.usage.prompt_tokens
text = ""
for part in client.chat.completions.create(**ask, stream=True):
    text += part.choices[0].delta.content or ""
assert text == choice.message.content, text
designed = client.chat.completions.create(model="m:designer", max_tokens=300, messages=[{"role": "user", "content": "the crane lifts"}])
assert designed.choices[0].message.content.startswith("```python\n"), designed
try:
    client.chat.completions.create(model="nobody", messages=[{"role": "user", "content": "x"}])
    raise AssertionError("an unknown model answers")
except openai.NotFoundError as e:
    assert e.code == "model_not_found", e
try:
    client.chat.completions.create(model="m", messages=[{"role": "user", "content": "crane hoist 3 " * 2000}])
    raise AssertionError("a full context answers")
except openai.BadRequestError as e:
    assert e.code == "context_length_exceeded", e
print("ok")
