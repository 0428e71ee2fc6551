import type { ErrorObject } from 'ajv';
import { pointerTo } from '../problems/problem.ts';

/** What the texts of numbers consist of. The validator would also convert `0x10`, `1e3` and ` 5`. */
const DECIMAL = { integer: /^-?\d+$/, number: /^-?\d+(?:\.\d+)?$/ } as const;

/** The members of a schema that are read here. */
interface Schema {
  type?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
}

/** The errors of texts that are not decimal although the schema wants a number, in the form of the validator. */
export function decimalErrors(schema: unknown, value: unknown, instancePath = ''): ErrorObject[] {
  const { type, items, properties } = schema as Schema;
  // The validator takes a single text of a list for its only item.
  if (type === 'array' && typeof value === 'string') return decimalErrors(schema, [value], instancePath);
  if (typeof value === 'string') {
    const isDecimal = (type !== 'integer' && type !== 'number') || DECIMAL[type].test(value);
    return isDecimal ? [] : [{ keyword: 'type', instancePath, schemaPath: '', params: { type } }];
  }
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value))
    return items === undefined
      ? []
      : value.flatMap((item, at) => decimalErrors(items, item, pointerTo(instancePath, at)));
  return Object.entries(properties ?? {}).flatMap(([name, member]) =>
    Object.hasOwn(value, name)
      ? decimalErrors(member, (value as Record<string, unknown>)[name], pointerTo(instancePath, name))
      : [],
  );
}
