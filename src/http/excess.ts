import type { ErrorObject } from 'ajv';
import { pointerTo } from '../problems/problem.ts';

/** Unknown members of an object that are looked at; the answer to a request names no more of them. */
const MAX_UNKNOWN_MEMBERS = 100;

/** What is read of a schema. */
interface Schema {
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
}

/** A value without what is too much, and the errors that say what that was. */
export interface Trimmed {
  value: unknown;
  /** As the validator makes them; empty when the value is as it came. */
  errors: ErrorObject[];
}

/**
 * Takes away what is beyond all measure: items beyond the number that the schema allows, and most of a crowd of unknown
 * members. The validator would look at each, and make an error of each, a million of them for one request.
 */
export function trimExcess(schema: unknown, value: unknown): Trimmed {
  const errors: ErrorObject[] = [];
  return { value: trim(schema as Schema, value, '', errors), errors };
}

function trim(schema: Schema, value: unknown, instancePath: string, errors: ErrorObject[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value)
    ? trimArray(schema, value, instancePath, errors)
    : trimObject(schema, value as Record<string, unknown>, instancePath, errors);
}

function trimArray(
  { maxItems = Number.POSITIVE_INFINITY, items }: Schema,
  value: readonly unknown[],
  instancePath: string,
  errors: ErrorObject[],
): unknown {
  const isTooLong = value.length > maxItems;
  if (isTooLong)
    errors.push({ keyword: 'maxItems', instancePath, schemaPath: '', params: { limit: maxItems } });
  const kept = isTooLong ? value.slice(0, maxItems) : value;
  if (items === undefined) return kept;
  const trimmed = kept.map((item, at) => trim(items, item, pointerTo(instancePath, at), errors));
  return isTooLong || trimmed.some((item, at) => item !== kept[at]) ? trimmed : value;
}

function trimObject(
  { properties = {}, additionalProperties }: Schema,
  value: Record<string, unknown>,
  instancePath: string,
  errors: ErrorObject[],
): unknown {
  const changed = new Map<string, unknown>();
  for (const [name, member] of Object.entries(properties)) {
    if (!Object.hasOwn(value, name)) continue;
    const trimmed = trim(member, value[name], pointerTo(instancePath, name), errors);
    if (trimmed !== value[name]) changed.set(name, trimmed);
  }
  const unknown =
    additionalProperties === false
      ? Object.keys(value).filter((name) => !Object.hasOwn(properties, name))
      : [];
  if (unknown.length > MAX_UNKNOWN_MEMBERS) {
    for (const additionalProperty of unknown.slice(0, MAX_UNKNOWN_MEMBERS))
      errors.push({
        keyword: 'additionalProperties',
        instancePath,
        schemaPath: '',
        params: { additionalProperty },
      });
    const known = Object.keys(properties).filter((name) => Object.hasOwn(value, name));
    return Object.fromEntries(
      known.map((name) => [name, changed.has(name) ? changed.get(name) : value[name]]),
    );
  }
  return changed.size === 0 ? value : { ...value, ...Object.fromEntries(changed) };
}
