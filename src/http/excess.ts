import type { ErrorObject } from 'ajv';
import { ENOUGH_ERRORS, pointerTo } from '../problems/problem.ts';

/** The members of a schema that are read here. */
interface Schema {
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
}

/** A value without its excess, and the errors that describe the excess. */
export interface Trimmed {
  value: unknown;
  /** In the form of the validator. Empty if the value is unchanged. */
  errors: ErrorObject[];
}

/**
 * Removes excess input: items beyond the maximum of the schema, and most of a large number of unknown members. The
 * validator would check each of them and create an error for each, up to a million for one request.
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
  if (unknown.length > ENOUGH_ERRORS) {
    for (const additionalProperty of unknown.slice(0, ENOUGH_ERRORS))
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
