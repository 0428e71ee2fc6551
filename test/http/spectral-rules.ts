// biome-ignore-all lint/suspicious/noThenProperty: that is how Spectral calls what a rule checks.
import type { RulesetDefinition } from '@stoplight/spectral-core';
import functions from '@stoplight/spectral-functions';
import rulesets from '@stoplight/spectral-rulesets';
import {
  declaredHeaders,
  namedEnum,
  oneType,
  parameterTypes,
  postbackHeaders,
  shortId,
  times,
  wholeDescription,
} from './spectral-functions.ts';

const { falsy, pattern, truthy } = functions;
const JSON_BODY = "content['application/json'].schema";

/** The rules for the API description besides those in `redocly.yaml`: all of Spectral's own, and ours. */
export const SPECTRAL_RULES: RulesetDefinition = {
  extends: [[rulesets.oas as RulesetDefinition, 'all']],
  rules: {
    // No person is the contact of every installation.
    'info-contact': 'off',
    'license-url': 'off',
    // The order of the tags is that of the reference, and a summary often says everything.
    'openapi-tags-alphabetical': 'off',
    'operation-description': 'off',
    'bodies-are-components': {
      description: 'Generators make up a name for a body that is no component.',
      given: [
        `$.paths[*][*].requestBody.${JSON_BODY}`,
        `$.paths[*][*].responses[*].${JSON_BODY}`,
        `$.webhooks[*][*].requestBody.${JSON_BODY}`,
      ],
      resolved: false,
      severity: 'error',
      then: { field: '$ref', function: truthy },
    },
    'components-are-named-like-types': {
      given: '$.components.schemas',
      severity: 'error',
      then: { field: '@key', function: pattern, functionOptions: { match: '^([A-Z][a-z0-9]*)+$' } },
    },
    'members-have-types': {
      description: 'Generators make `any` of a member without a type.',
      // Data that courses store may be any JSON: `data` of units, and `state` of attempts.
      given:
        '$.components.schemas[*].properties[?(!@.$ref && !@.anyOf && !@.oneOf && @property !== "data" && @property !== "state")]',
      resolved: false,
      severity: 'error',
      then: { field: 'type', function: truthy },
    },
    'schemas-have-one-type': {
      given: '$..type',
      resolved: false,
      severity: 'error',
      then: { function: oneType },
    },
    'lists-are-lists': {
      description: 'Generators make a set of a list with `uniqueItems`, in requests only.',
      given: '$..uniqueItems',
      resolved: false,
      severity: 'error',
      then: { function: falsy },
    },
    'enums-are-components': {
      given: '$..enum',
      resolved: false,
      severity: 'error',
      then: { function: namedEnum },
    },
    'times-are-times': {
      given: '$.components.schemas[*].properties',
      resolved: false,
      severity: 'error',
      then: { function: times },
    },
    'parameters-have-the-types-of-members': {
      given: '$.paths[*][*].parameters[*]',
      severity: 'error',
      then: { function: parameterTypes },
    },
    'headers-and-their-statuses-are-declared': {
      given: '$.paths[*][*]',
      severity: 'error',
      then: { function: declaredHeaders },
    },
    'postbacks-declare-their-headers': {
      given: '$.webhooks[*].post',
      severity: 'error',
      then: { function: postbackHeaders },
    },
    'operation-ids-are-short': {
      given: '$.paths[*][*].operationId',
      severity: 'error',
      then: { function: shortId },
    },
    'descriptions-are-whole': {
      given: '$..description',
      resolved: false,
      severity: 'error',
      then: { function: wholeDescription },
    },
    'problems-are-problems': {
      given: "$.paths[*][*].responses[*].content['application/problem+json'].schema",
      resolved: false,
      severity: 'error',
      then: [
        { field: '$ref', function: truthy },
        {
          field: '$ref',
          function: pattern,
          functionOptions: { match: '^#/components/schemas/Problem$' },
        },
      ],
    },
  },
};
