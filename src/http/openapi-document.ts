import { ComponentSchemas, type DescribedSchema } from './openapi-schemas.ts';
import { NOTHING_FURTHER } from './routes.ts';
import { DESCRIBED_AS, ETAG_MARK } from './schemas.ts';

/** The parts of an OpenAPI document that are read and rewritten. */
export interface OpenApiDocument {
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, DescribedSchema>; [key: string]: unknown };
  [key: string]: unknown;
}

interface Content {
  [mediaType: string]: { schema?: DescribedSchema };
}

interface Operation {
  operationId?: string;
  security?: Record<string, string[]>[];
  parameters?: { name: string; in: string; schema: DescribedSchema; [DESCRIBED_AS]?: DescribedSchema }[];
  requestBody?: { content: Content; required?: boolean };
  responses: Record<string, OperationResponse>;
}

interface OperationResponse {
  description: string;
  headers?: Record<string, object>;
  content?: Content;
}

const PROBLEM_CONTENT = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };

const HEADERS = {
  ETag: header('The version of the record. Send it as `If-Match` to change only this version.'),
  Location: header('The path of the record.'),
  'Idempotent-Replayed': header('`true` if this is the response to an earlier request with the same key.'),
  'Retry-After': {
    description: 'How many seconds to wait before the next request.',
    schema: { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  },
  'WWW-Authenticate': header('How to authenticate, or which scope is missing (RFC 6750).'),
} as const;

function header(description: string): object {
  return { description, schema: { type: 'string' } };
}

/**
 * The document for client generators: named components, response headers, and what problems mean for each
 * operation.
 */
export function completeDocument(document: OpenApiDocument): OpenApiDocument {
  const components = new ComponentSchemas();
  const problem = components.describe(document.components?.schemas?.Problem ?? {});
  const paths = mapOperations(document.paths, (operation, path) =>
    completeOperation(describeOperation(operation, components), path),
  );
  const webhooks = mapOperations(document.webhooks ?? {}, (operation) =>
    describeOperation(operation, components),
  );
  return {
    ...document,
    paths,
    webhooks,
    components: { ...document.components, schemas: { Problem: problem, ...sorted(components.schemas) } },
  };
}

function mapOperations(
  paths: Record<string, Record<string, Operation>>,
  map: (operation: Operation, path: string) => Operation,
): Record<string, Record<string, Operation>> {
  return Object.fromEntries(
    Object.entries(paths).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([method, operation]) => [method, map(operation, path)]),
      ),
    ]),
  );
}

function describeOperation(operation: Operation, components: ComponentSchemas): Operation {
  const described = { ...operation };
  if (operation.parameters !== undefined) {
    described.parameters = operation.parameters.map(({ [DESCRIBED_AS]: shown, ...parameter }) => ({
      ...parameter,
      schema: components.describe(shown ?? parameter.schema),
    }));
  }
  if (operation.requestBody !== undefined) {
    const { requestBody } = operation;
    const content = describeContent(requestBody.content, components);
    described.requestBody = { ...requestBody, ...(optionalBody(content) ?? { content }) };
  }
  described.responses = Object.fromEntries(
    Object.entries(operation.responses).map(([status, response]) => [
      status,
      response.content === undefined ? response : withContent(response, components),
    ]),
  );
  return described;
}

/**
 * A body that may be null may also be missing, which is what clients do. It is then described as optional, with its
 * component alone: generators make up a name for a union. Null if the body is required.
 */
function optionalBody(content: Content): { content: Content; required: false } | null {
  let isOptional = false;
  const described = Object.entries(content).map(([type, media]) => {
    const [component, none, ...others] = media.schema?.anyOf ?? [];
    const isComponentOrNull = none?.type === 'null' && others.length === 0;
    if (component === undefined || !isComponentOrNull) return [type, media] as const;
    isOptional = true;
    return [type, { ...media, schema: component }] as const;
  });
  return isOptional ? { content: Object.fromEntries(described), required: false } : null;
}

function withContent(response: OperationResponse, components: ComponentSchemas): OperationResponse {
  const [media] = Object.values(response.content ?? {});
  const hasTag = media?.schema?.[ETAG_MARK] === true;
  return {
    ...response,
    ...(hasTag ? { headers: { ETag: HEADERS.ETag } } : {}),
    content: describeContent(response.content ?? {}, components),
  };
}

function describeContent(content: Content, components: ComponentSchemas): Content {
  return Object.fromEntries(
    Object.entries(content).map(([mediaType, media]) => [
      mediaType,
      media.schema === undefined ? media : { ...media, schema: components.describe(media.schema) },
    ]),
  );
}

/** Adds the headers of responses, what each problem means here, and that any other problem has the same form. */
function completeOperation(operation: Operation, path: string): Operation {
  const scope = operation.security?.[0]?.oauth2?.[0];
  if (scope === undefined) return { ...operation, responses: withHeaders(operation.responses) };
  const named = namedIn(path);
  const meanings: Record<string, string> = {
    403: `The access token does not have the scope \`${scope}\`.`,
    ...(named === '' ? {} : { 404: `The ${named} does not exist.` }),
  };
  const responses = Object.fromEntries(
    Object.entries(operation.responses).map(([status, response]) => {
      const { description } = response;
      const meaning = meanings[status];
      return [
        status,
        meaning === undefined
          ? response
          : {
              ...response,
              description: description === NOTHING_FURTHER ? meaning : `${meaning} ${description}`,
            },
      ];
    }),
  );
  return {
    ...operation,
    responses: {
      ...withHeaders(responses),
      default: { description: 'Any other problem.', content: PROBLEM_CONTENT },
    },
  };
}

function withHeaders(responses: Record<string, OperationResponse>): Record<string, OperationResponse> {
  const keepsResponses = '422' in responses;
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      const isSuccess = status.startsWith('2');
      const mayPass = status === '429' || status === '503' || 'Retry-After' in (response.headers ?? {});
      const headers = {
        ...response.headers,
        ...(status === '201' ? { Location: HEADERS.Location } : {}),
        ...(isSuccess && keepsResponses ? { 'Idempotent-Replayed': HEADERS['Idempotent-Replayed'] } : {}),
        ...(status === '401' || status === '403' ? { 'WWW-Authenticate': HEADERS['WWW-Authenticate'] } : {}),
        ...(mayPass ? { 'Retry-After': HEADERS['Retry-After'] } : {}),
      };
      return [status, Object.keys(headers).length === 0 ? response : { ...response, headers }];
    }),
  );
}

/** What a path names: “webhook or delivery” for `/webhooks/{webhook_id}/deliveries/{delivery_id}`. Empty for nothing. */
function namedIn(path: string): string {
  const names = path.matchAll(/\{(\w+)_id\}|\{position\}/g).map(([, name = 'message']) => name);
  return [...names].map((name) => (name === 'alert' ? 'alert rule' : name)).join(' or ');
}

function sorted<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
