import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertPreferences, PREFERENCES } from './cmi5-preferences.ts';

describe('the preferences of a learner', () => {
  const store = (languagePreference: unknown) =>
    assertPreferences({
      kind: 'agent-profile',
      id: PREFERENCES,
      contentType: 'application/json',
      content: Buffer.from(JSON.stringify({ languagePreference, audioPreference: 'on' })),
    });

  it('have languages with commas between them', () => {
    store('en-US,fr, de');
    for (const wrong of ['', 'en,', 'not a language', 1, null])
      assert.throws(() => store(wrong), /language tags with commas between them/);
  });

  it('are a JSON object', () => {
    for (const [contentType, content] of [
      ['text/plain', '{"languagePreference":"en","audioPreference":"on"}'],
      ['application/json', '["en","on"]'],
      ['application/json', '{"languagePreference":'],
    ] as const) {
      const document = { kind: 'agent-profile', id: PREFERENCES, contentType, content: Buffer.from(content) };
      assert.throws(() => assertPreferences(document), /are a JSON object/, content);
    }
  });

  it('have languages of at most 4,000 characters', () => {
    store(Array(1_333).fill('en').join(','));
    assert.throws(() => store(Array(1_334).fill('en').join(',')), /at most 4000 characters/);
  });
});
