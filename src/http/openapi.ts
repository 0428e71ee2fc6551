import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema, RouteOptions } from 'fastify';
import { ProblemError } from '../problems/problem.ts';
import { completeDocument, type OpenApiDocument } from './openapi-document.ts';
import { Problem } from './schemas.ts';

/** Parts of the description that do not come from the routes. */
export interface ApiDescription {
  version: string;
  /** The address of the service as the sender of a request sees it. */
  addressFor(request: FastifyRequest): string;
  /** The path of `base_url`, without a trailing slash. The files of the reference page are below it. */
  basePath: string;
  scopes: Readonly<Record<string, string>>;
  tokenPath: string;
  /** OpenAPI 3.1 `webhooks`. */
  postbacks: Record<string, object>;
}

const INTRODUCTION = `Coursewire manages learning content, accounts and registrations, and notifies other systems of what happened.

Request an access token with your client's id and secret, then send it as a bearer token. Lists are paged with
\`limit\` and \`cursor\`. Errors are problems (RFC 9457) that name every invalid member. A record has an
\`ETag\`. Send it as \`If-Match\`, so that you do not overwrite changes of others.`;

/** Describes the API at `/openapi.json`, with a reference page at `/docs` that loads nothing from elsewhere. */
export async function describeApi(server: FastifyInstance, description: ApiDescription): Promise<void> {
  server.addSchema({ $id: 'Problem', ...Problem });
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Coursewire',
        version: description.version,
        description: INTRODUCTION,
        license: { name: 'MIT', identifier: 'MIT' } as object as { name: string },
      },
      tags: TAGS,
      components: {
        securitySchemes: {
          oauth2: {
            type: 'oauth2',
            flows: {
              clientCredentials: {
                tokenUrl: description.tokenPath,
                scopes: { ...description.scopes },
              },
            },
          },
          clientBasic: { type: 'http', scheme: 'basic', description: 'The id and secret of an API client.' },
        },
      },
      webhooks: description.postbacks as never,
    },
    refResolver: {
      buildLocalReference: (json, _base, _fragment, index) => String(json.$id ?? `def-${index}`),
    },
    transform: ({ schema, url, route }) => ({ schema: describeRoute(schema, route), url }),
  });
  let text: DescriptionText | undefined;
  server.get('/openapi.json', { schema: { hide: true } }, async (request, reply) => {
    text ??= new DescriptionText(
      completeDocument(server.swagger() as unknown as OpenApiDocument),
      description.tokenPath,
    );
    return reply
      .headers({ 'Cache-Control': 'public, max-age=60', Vary: ADDRESS_HEADERS })
      .type('application/json; charset=utf-8')
      .send(text.at(description.addressFor(request)));
  });
  await addReferencePage(server, description.basePath);
}

async function addReferencePage(server: FastifyInstance, basePath: string): Promise<void> {
  await server.register(swaggerUi, {
    routePrefix: '/docs',
    indexPrefix: basePath,
    staticCSP: CONTENT_SECURITY_POLICY,
    theme: { title: 'Coursewire API' },
    logo: null as never,
    uiHooks: { onRequest: redirectToDescription },
    uiConfig: {
      // Hides the field for the address of another description.
      layout: 'BaseLayout',
      deepLinking: true,
      docExpansion: 'list',
      defaultModelsExpandDepth: -1,
      url: `${basePath}/openapi.json`,
      validatorUrl: null as never,
    },
  });
}

/** The page's library offers the description, too, but without the names and addresses of the complete one. */
async function redirectToDescription({ routeOptions }: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (routeOptions.url === '/docs/json') await reply.redirect('/openapi.json', 308);
  if (routeOptions.url === '/docs/yaml')
    throw new ProblemError('not-found', 'The description is at /openapi.json');
}

/** The headers that the address depends on, so that a shared cache gives nobody the address of someone else. */
const ADDRESS_HEADERS = 'Host, X-Forwarded-Host, X-Forwarded-Proto';
/** The placeholder of the address in the text of the description. */
const ADDRESS = 'urn:coursewire:address';

/** The document as JSON. It is written only once, because this takes several milliseconds and everyone may request it. */
class DescriptionText {
  readonly #parts: readonly string[];
  /** Shared by all responses with the same address, so that many slow readers need no memory. */
  #latest: { address: string; text: Buffer } | null = null;

  constructor(document: OpenApiDocument, tokenPath: string) {
    this.#parts = JSON.stringify(atAddress(document, ADDRESS, tokenPath)).split(ADDRESS);
  }

  at(address: string): Buffer {
    if (this.#latest?.address === address) return this.#latest.text;
    const text = Buffer.from(this.#parts.join(JSON.stringify(address).slice(1, -1)));
    this.#latest = { address, text };
    return text;
  }
}

/** The document with absolute addresses, which the tools that read it require. */
function atAddress(document: OpenApiDocument, address: string, tokenPath: string): object {
  const { openapi, info, components, ...rest } = document;
  const schemes = components?.securitySchemes as { oauth2: { flows: { clientCredentials: object } } };
  const clientCredentials = {
    ...schemes.oauth2.flows.clientCredentials,
    tokenUrl: `${address}${tokenPath}`,
  };
  const oauth2 = { ...schemes.oauth2, flows: { clientCredentials } };
  return {
    openapi,
    info,
    servers: [{ url: address }],
    ...rest,
    components: { ...components, securitySchemes: { ...schemes, oauth2 } },
  };
}

/** The page runs only its own scripts and sends requests only to this server. Its widgets set inline styles. */
const CONTENT_SECURITY_POLICY =
  "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The groups of calls, in the order of the reference page. */
const TAGS = [
  { name: 'Authentication', description: 'OAuth 2.0 client credentials.' },
  { name: 'Webhooks', description: 'Configure which events are sent where.' },
  { name: 'Alerts', description: 'Be notified when webhooks or the service are in trouble.' },
  {
    name: 'Events',
    description: 'Everything that happened, and its outcome for each webhook.',
  },
  { name: 'Delivery history', description: 'The outcome of every message.' },
  { name: 'Lines', description: 'A line is a webhook’s ordered queue of waiting messages.' },
  { name: 'Accounts', description: 'Customers, branches or departments that use content.' },
  { name: 'Folders', description: 'The folder tree that contains all content.' },
  { name: 'Courses', description: 'Course packages and their versions.' },
  { name: 'Equivalents', description: 'One course in several languages.' },
  { name: 'Bundles', description: 'Courses and equivalents that belong together.' },
  { name: 'Account content', description: 'The content of an account.' },
  { name: 'Registrations', description: 'Registrations of learners: launches and results.' },
  { name: 'Audit log', description: 'Who changed what, and when.' },
  { name: 'Postbacks', description: 'The messages that your system receives.' },
];

const IF_MATCH = {
  'If-Match': {
    type: 'string',
    description:
      'The `ETag` of the version that you read, with its quotes. If the resource has changed since, the response is 412.',
  },
};

const IDEMPOTENCY_KEY = {
  'Idempotency-Key': {
    type: 'string',
    description:
      'A key of your choice: 1 to 255 visible ASCII characters. Repeating the request with the same key within 24 hours returns the first successful response and changes nothing. ' +
      'A request that failed is carried out again, and so is a launch whose link has expired. All calls of a client share its keys: the same key with another path, query or body is rejected (422).',
  },
};

/** Adds what applies to every route: the required scope, precondition and idempotency key. */
function describeRoute(schema: FastifySchema | undefined, route: RouteOptions): FastifySchema {
  const described = { ...(schema ?? {}) } as Record<string, unknown> & FastifySchema;
  const scope = route.config?.scope;
  if (scope !== undefined) described.security = [scope].flat().map((one) => ({ oauth2: [one] }));
  const responses = (described.response ?? {}) as Record<string, unknown>;
  const headers = {
    ...('412' in responses ? IF_MATCH : {}),
    ...('422' in responses ? IDEMPOTENCY_KEY : {}),
  };
  if (Object.keys(headers).length > 0) described.headers = { type: 'object', properties: headers };
  return described;
}
