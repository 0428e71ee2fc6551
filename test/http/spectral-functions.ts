import type { IFunctionResult, RulesetFunction } from '@stoplight/spectral-core';

// Checks that Spectral's own functions cannot make. Each returns one message for each fault.

interface Operation {
  parameters?: { name: string; in: string }[];
  requestBody?: object;
  responses: Record<string, { headers?: Record<string, object> }>;
}

/** The longest operation id. Generators make names of methods, types and files of it. */
const MAX_ID_LENGTH = 30;

function checks(check: (input: unknown, path: readonly (string | number)[]) => string[]): RulesetFunction {
  return (input, _options, { path }): IFunctionResult[] =>
    check(input, path).map((message) => ({ message, path: [...path] }));
}

/** A schema has one type, and perhaps null. Several types need a union with a name. */
export const oneType = checks((type) =>
  Array.isArray(type) && type.filter((each) => each !== 'null').length > 1
    ? [`Generators cannot read the types ${type.join(', ')}.`]
    : [],
);

/** An enum with several values is a component. */
export const namedEnum = checks((values, path) => {
  const isComponent = path.length === 4 && path[0] === 'components';
  return Array.isArray(values) && values.length > 1 && !isComponent
    ? ['Generators make up a name for an enum that is no component.']
    : [];
});

/** Members that are times have the format of times, in requests, too. */
export const times = checks((properties) =>
  Object.entries(properties as Record<string, { format?: string }>)
    .filter(([name, { format }]) => name.endsWith('_dt') && format !== 'date-time')
    .map(([name]) => `${name} is a time, but has no format.`),
);

/** The same for a parameter, and ids in paths have the type that they have in bodies. */
export const parameterTypes = checks((parameter) => {
  const {
    name,
    in: place,
    schema,
  } = parameter as { name: string; in: string; schema: Record<string, string> };
  const isId = place === 'path' && name.endsWith('_id');
  if (isId && schema.format !== 'int64' && schema.format !== 'uuid') return [`${name} is no id.`];
  return name.endsWith('_dt') && schema.format !== 'date-time' ? [`${name} has no format.`] : [];
});

/** Every header that a response can have is declared, and every status that goes with a header of the request. */
export const declaredHeaders = checks((input) => {
  const { parameters = [], requestBody, responses } = input as Operation;
  const has = (name: string) => parameters.some((each) => each.in === 'header' && each.name === name);
  const wanted = Object.keys(responses).flatMap((status) => [
    ...(status === '201' ? [[status, 'Location']] : []),
    ...(status === '401' || status === '403' ? [[status, 'WWW-Authenticate']] : []),
    ...(status === '429' || status === '503' ? [[status, 'Retry-After']] : []),
    ...(status === '200' && requestBody !== undefined && has('If-Match') ? [[status, 'ETag']] : []),
    ...(status.startsWith('2') && has('Idempotency-Key') ? [[status, 'Idempotent-Replayed']] : []),
  ]) as [string, string][];
  const statuses = [
    ...(has('If-Match') ? ['412'] : []),
    ...(has('Idempotency-Key') ? ['400', '422'] : []),
    // For the token endpoint, every invalid request is 400.
    ...(requestBody === undefined || !('401' in responses) ? [] : ['400', '413', '415']),
    ...(parameters.some((each) => each.in === 'path') ? ['404'] : []),
  ];
  return [
    ...wanted
      .filter(([status, header]) => responses[status]?.headers?.[header] === undefined)
      .map(([status, header]) => `The response ${status} does not declare ${header}.`),
    ...statuses
      .filter((status) => !(status in responses))
      .map((status) => `The status ${status} is missing.`),
  ];
});

/** Every postback declares the headers of Standard Webhooks. */
export const postbackHeaders = checks((input) => {
  const names = new Set((input as Operation).parameters?.map(({ name }) => name));
  return ['webhook-id', 'webhook-timestamp', 'webhook-signature']
    .filter((name) => !names.has(name))
    .map((name) => `The header ${name} is missing.`);
});

/** An operation id is short. */
export const shortId = checks((id) =>
  String(id).length > MAX_ID_LENGTH ? [`${id} is longer than ${MAX_ID_LENGTH} characters.`] : [],
);

/** A description that is composed of parts lacks none of them. */
export const wholeDescription = checks((text) =>
  typeof text === 'string' && /^$|^ | $| {2}|\bundefined\b/.test(text) ? [`“${text}” lacks a word.`] : [],
);
