import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalLanguage } from './language.ts';

test('language tags get their canonical spelling', () => {
  for (const [tag, canonical] of [
    ['en', 'en'],
    ['DE', 'de'],
    ['de-ch', 'de-CH'],
    ['ZH-hant-tw', 'zh-Hant-TW'],
    ['iw', 'he'],
    ['es-419', 'es-419'],
    ['sl-ROZAJ-biske', 'sl-biske-rozaj'],
    ['zh-yue', 'yue'],
    ['ZH-YUE-hant-hk', 'yue-Hant-HK'],
    ['zh-cmn', 'zh'],
    ['zh-cmn-hans-CN', 'zh-Hans-CN'],
    ['ar-arz', 'arz'],
    ['sgn-ase', 'ase'],
    ['ms-zsm-x-zh-yue', 'ms-x-zh-yue'],
    ['zh-hakka', 'hak'],
  ] as const) {
    assert.equal(canonicalLanguage(tag), canonical, tag);
  }
});

test('anything but a language tag is rejected', () => {
  const long = `en-x${'-a'.repeat(60)}`;
  for (const tag of [
    '',
    'e',
    long,
    'en_US',
    'english language',
    'en-',
    '-en',
    'en-US-US',
    'zh-chn',
    'en-yue',
    'zh-yue-yue',
    'constructor-abc',
    'i-klingon',
    'en-GB-oed',
    'x-dothraki',
    'zh-min-nan',
    '\u212Ao',
    'zh-\u212Aor',
    '12',
    'ä',
    'e\u0000n',
  ]) {
    assert.equal(canonicalLanguage(tag), null, JSON.stringify(tag));
  }
});
