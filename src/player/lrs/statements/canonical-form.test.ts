import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { acceptedLanguages } from '../../../http/accepted-languages.ts';
import { CanonicalForm } from './canonical-form.ts';

const GOLF = { id: 'https://example.com/golf' };
const TEXTS = { fr: 'golf', en: 'Golf', 'de-CH': 'Golf spielen', pt: 'golfe' };

function chosen(languages: string, texts: object = TEXTS): unknown {
  const form = new CanonicalForm({ languages: acceptedLanguages(languages, 50), maxLength: 0 });
  const { verb } = form.of({ verb: { display: texts } }, () => undefined) as { verb: { display: object } };
  return Object.keys(verb.display)[0];
}

describe('a statement in one language', () => {
  it('has the text of the first wanted language that has any: the same, a variant, or a more general one', () => {
    assert.equal(chosen('en, fr'), 'en');
    assert.equal(chosen('it, de;q=0.9, en;q=0.8'), 'de-CH');
    assert.equal(chosen('pt-BR, en;q=0.5'), 'pt');
    assert.equal(chosen('de', { 'de-CH': '', de: '', 'de-AT': '' }), 'de');
    assert.equal(chosen('de-CH-x-a', { de: '', 'DE-ch': '' }), 'de');
    assert.equal(chosen('de, de-CH', { 'de-AT': '', 'de-CH': '' }), 'de-AT');
  });

  it('has the first text if no language fits, or the wanted one is too long to be one', () => {
    assert.equal(chosen(''), 'fr');
    assert.equal(chosen('it'), 'fr');
    assert.equal(chosen(`en${'-a'.repeat(100)}`), 'fr');
    assert.equal(chosen('en', {}), undefined);
  });

  it('has one text for each answer of an interaction, and its expected answers unchanged', () => {
    const definition = {
      interactionType: 'choice',
      correctResponsesPattern: ['a'],
      choices: [{ id: 'a', description: { de: 'Golf spielen', en: 'Golf' } }],
    };
    const form = new CanonicalForm({ languages: ['en'], maxLength: 0 });
    assert.deepEqual(
      form.of({ object: { ...GOLF, definition } }, () => undefined),
      {
        object: {
          ...GOLF,
          definition: { ...definition, choices: [{ id: 'a', description: { en: 'Golf' } }] },
        },
      },
    );
  });

  it('gets stored definitions for the first mentions of their activities, up to a length in total', () => {
    const known = new Map([[GOLF.id, { name: { en: 'Golf', de: 'Golf' } }]]);
    const length = JSON.stringify({ name: { en: 'Golf' } }).length;
    const form = new CanonicalForm({ languages: ['en'], maxLength: 2 * length });
    const other = [GOLF, { ...GOLF, definition: { name: { de: 'G', en: 'Own' } } }];
    const sent = { object: GOLF, context: { contextActivities: { other } } };
    assert.deepEqual(
      form.of(sent, (id) => known.get(id)),
      {
        object: { ...GOLF, definition: { name: { en: 'Golf' } } },
        context: {
          contextActivities: {
            other: [
              { ...GOLF, definition: { name: { en: 'Golf' } } },
              { ...GOLF, definition: { name: { en: 'Own' } } },
            ],
          },
        },
      },
    );
  });
});
