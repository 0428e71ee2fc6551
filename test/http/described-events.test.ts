import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SUBTOPICS } from '../../src/events/catalogue.ts';
import { startTestService } from '../support/service.ts';

// Runs on SQLite alone: the description of the API is the same on every database.

interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
}

interface Description {
  components: { schemas: Record<string, Schema> };
  webhooks: Record<string, { post: { requestBody: { content: Record<string, { example: Example }> } } }>;
}

interface Example {
  resource: Record<string, unknown>;
}

describe('the description of an event', () => {
  test('lets generated clients read every member of the resource of each subtopic', async () => {
    await using service = await startTestService();
    const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as Description;
    const { EventDetails } = document.components.schemas;
    assert.deepEqual(Object.keys(document.webhooks).sort(), [...SUBTOPICS].sort());
    for (const [subtopic, { post }] of Object.entries(document.webhooks)) {
      const { resource } = post.requestBody.content['application/json']!.example;
      const read = readAs(document, EventDetails!.properties!.resource!, resource);
      assert.deepEqual(read, resource, subtopic);
    }
  });
});

/**
 * A value as a generated client reads it: only the members that the schema names. Of several schemas, the first one that
 * the value has the required members of.
 */
function readAs(document: Description, schema: Schema, value: unknown): unknown {
  if (schema.$ref !== undefined) {
    return readAs(document, document.components.schemas[schema.$ref.split('/').at(-1)!]!, value);
  }
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) {
    const readings = alternatives.map((each) => readAs(document, each, value));
    return readings.find((each) => each !== undefined);
  }
  if (schema.items !== undefined)
    return (value as unknown[]).map((each) => readAs(document, schema.items!, each));
  if (schema.properties === undefined) return value;
  const members = value as Record<string, unknown>;
  const read: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(schema.properties)) {
    if (name in members) read[name] = readAs(document, member, members[name]);
    if (read[name] === undefined && schema.required?.includes(name)) return undefined;
  }
  return read;
}
