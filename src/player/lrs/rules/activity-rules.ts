import { isObject } from '../../../is-object.ts';
import { pointerTo } from '../../../problems/problem.ts';
import * as is from './data-types.ts';
import { extensions, languageMap, list, members, plain, type Rule } from './member-rules.ts';

const COMPONENT_LISTS: Readonly<Record<string, readonly string[]>> = {
  choice: ['choices'],
  sequencing: ['choices'],
  likert: ['scale'],
  matching: ['source', 'target'],
  performance: ['steps'],
};
const INTERACTIONS = [
  'true-false',
  'choice',
  'fill-in',
  'long-fill-in',
  'matching',
  'performance',
  'sequencing',
  'likert',
  'numeric',
  'other',
];
const ALL_COMPONENTS = ['choices', 'scale', 'source', 'target', 'steps'];

const components: Rule = (value, at, errors) => {
  const rules = { id: plain(is.isText), description: languageMap };
  list((item, itemAt, found) => void members(item, itemAt, found, rules, ['id']))(value, at, errors);
  if (!Array.isArray(value)) return;
  const ids = value.map((item) => (isObject(item) ? item.id : undefined));
  if (new Set(ids).size !== ids.length) errors.add(at, 'must have a different id for each component');
};

const definition: Rule = (value, at, errors) => {
  const found = members(value, at, errors, {
    name: languageMap,
    description: languageMap,
    type: plain(is.isIri),
    moreInfo: plain(is.isIri),
    extensions,
    interactionType: plain(is.isOneOf(...INTERACTIONS)),
    correctResponsesPattern: list(plain(is.isText)),
    ...Object.fromEntries(ALL_COMPONENTS.map((name) => [name, components])),
  });
  if (found === null) return;
  const interaction = typeof found.interactionType === 'string' ? found.interactionType : null;
  const allowed = COMPONENT_LISTS[interaction ?? ''] ?? [];
  for (const name of ALL_COMPONENTS) {
    if (Object.hasOwn(found, name) && !allowed.includes(name)) {
      errors.add(pointerTo(at, name), 'is not allowed for this interactionType');
    }
  }
  if (interaction === null && Object.hasOwn(found, 'correctResponsesPattern')) {
    errors.add(pointerTo(at, 'interactionType'), 'is required with correctResponsesPattern');
  }
};

/** An activity, such as a course or a question. */
export const activity: Rule = (value, at, errors) => {
  const rules = { objectType: plain(is.isOneOf('Activity')), id: plain(is.isIri), definition };
  members(value, at, errors, rules, ['id']);
};
