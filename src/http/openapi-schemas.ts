import { DESCRIBED_AS, ETAG_MARK, NAME_PATTERN, PLAIN_TEXT_PATTERN, READ_AS } from './schemas.ts';

/** The members of a described schema that are read here. */
export interface DescribedSchema {
  $ref?: string;
  title?: string;
  description?: string;
  type?: string | string[];
  format?: string;
  pattern?: string;
  enum?: unknown[];
  const?: unknown;
  minimum?: number;
  maximum?: number;
  properties?: Record<string, DescribedSchema>;
  items?: DescribedSchema;
  additionalProperties?: boolean | DescribedSchema;
  anyOf?: DescribedSchema[];
  oneOf?: DescribedSchema[];
  allOf?: DescribedSchema[];
  [key: string]: unknown;
}

const PREFIX = '#/components/schemas/';
const UNIONS = ['anyOf', 'oneOf', 'allOf'] as const;

/**
 * Rewrites schemas for client generators: each schema with a title becomes a component of that name, and every
 * schema says its type and size.
 */
export class ComponentSchemas {
  /** The components so far, by name. */
  readonly schemas: Record<string, DescribedSchema> = {};

  /**
   * The described form of a schema: a reference if it has a title.
   * @throws if two different schemas have the same title
   */
  describe(schema: DescribedSchema): DescribedSchema {
    if (schema.$ref !== undefined) return schema;
    const shown = schema[DESCRIBED_AS] as DescribedSchema | undefined;
    if (shown !== undefined) {
      const { readOnly, ...type } = shown;
      const described = { ...this.describe(type), ...(readOnly === true ? { readOnly } : {}) };
      // The referenced schema has its own description.
      return described.$ref === undefined && schema.description !== undefined
        ? { ...described, description: schema.description }
        : described;
    }
    const { title, [ETAG_MARK]: _, [READ_AS]: _read, ...described } = this.#withTypes(schema);
    if (title === undefined) return described;
    const types = [described.type ?? []].flat();
    if (!types.includes('null')) return this.#component(title, described);
    const component = this.#component(title, { ...described, type: types.find((type) => type !== 'null')! });
    return { anyOf: [component, { type: 'null' }] };
  }

  #component(name: string, schema: DescribedSchema): DescribedSchema {
    const known = this.schemas[name];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`two different schemas have the title ${name}`);
    this.schemas[name] = schema;
    return { $ref: PREFIX + name };
  }

  #withTypes(schema: DescribedSchema): DescribedSchema {
    const described = { ...schema };
    if (schema.const !== undefined) {
      described.enum = [schema.const];
      delete described.const;
    }
    if (described.enum !== undefined) described.type ??= typeof described.enum[0];
    const types = [described.type ?? []].flat();
    if (types.includes('integer')) {
      described.format = 'int64';
      described.maximum ??= Number.MAX_SAFE_INTEGER;
    }
    if (types.includes('number')) described.format = 'double';
    // Generators make a set of such a list, and then a record cannot be sent back as it was read.
    delete described.uniqueItems;
    // The service checks the rest of the pattern for names, which RE2 does not support.
    if (schema.pattern === NAME_PATTERN) described.pattern = PLAIN_TEXT_PATTERN;
    if (schema.properties !== undefined) {
      described.properties = Object.fromEntries(
        Object.entries(schema.properties).map(([name, member]) => [name, this.describe(member)]),
      );
    }
    if (schema.items !== undefined) described.items = this.describe(schema.items);
    if (typeof schema.additionalProperties === 'object')
      described.additionalProperties = this.describe(schema.additionalProperties);
    for (const union of UNIONS) {
      const branches = schema[union];
      if (branches !== undefined) described[union] = branches.map((branch) => this.describe(branch));
    }
    return described;
  }
}
