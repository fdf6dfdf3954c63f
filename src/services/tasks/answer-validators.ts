import { Ajv2020, type AnySchemaObject, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { compileLinear } from './linear-regexp.js';
import type { Dimension, JsonSchema } from './task-types.js';

/** What the database has of a task type for checking its answers; JSON as text. */
export interface AnswerRules {
  readonly id: bigint;
  readonly version: number;
  readonly answerSchema: string;
  readonly dimensions: string;
}

/** A task type ready to check answers. */
export interface Validator {
  readonly validate: ValidateFunction;
  readonly dimensions: readonly Dimension[];
}

/** Compiled validators kept; each is some tens of kilobytes, and compiling one takes milliseconds. */
const MAX_KEPT = 500;

/** Formats by their usual names. Their regular expressions were written for short texts. */
const FORMATS = [
  'date',
  'date-time',
  'time',
  'duration',
  'email',
  'uri',
  'uuid',
  'hostname',
  'ipv4',
  'ipv6',
] as const;
const MAX_FORMATTED_LENGTH = 2000;

/** The validators used last, the oldest first: a Map keeps its order of insertion. */
const kept = new Map<string, Validator & { rules: AnswerRules }>();

/** The kept validator of a task type's version, compiled when it is asked for the first time or was dropped since. */
export function validatorOf(rules: AnswerRules): Validator {
  const name = `${rules.id}@${rules.version}`;
  const found = kept.get(name);
  kept.delete(name);
  // The text is compared too, so that another database's task type of the same id is never mistaken for this one.
  const validator =
    found?.rules.answerSchema === rules.answerSchema && found.rules.dimensions === rules.dimensions
      ? found
      : compileRules(rules);
  kept.set(name, validator);
  for (const oldest of kept.keys()) {
    if (kept.size <= MAX_KEPT) {
      break;
    }
    kept.delete(oldest);
  }
  return validator;
}

/** Compiles a schema that was checked before. Throws Ajv's error on unknown keywords, formats and malformed values. */
export function compileSchema(schema: JsonSchema): ValidateFunction {
  const validate = ajv.compile(schema as AnySchemaObject);
  // Otherwise the instance keeps every schema it has ever seen.
  ajv.removeSchema(schema as AnySchemaObject);
  return validate;
}

function compileRules(rules: AnswerRules): Validator & { rules: AnswerRules } {
  return {
    rules,
    validate: compileSchema(JSON.parse(rules.answerSchema)),
    dimensions: JSON.parse(rules.dimensions),
  };
}

function createAjv(): Ajv2020 {
  const instance = new Ajv2020({
    allErrors: true,
    // Otherwise `required: ["toString"]` is met by every object.
    ownProperties: true,
    strictSchema: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    multipleOfPrecision: 9,
    addUsedSchema: false,
    logger: false,
    code: { regExp: Object.assign(compileLinear, { code: 'new RegExp' }) },
  });
  for (const format of FORMATS) {
    instance.addFormat(format, { type: 'string', validate: boundedFormat(format) });
  }
  return instance;
}

function boundedFormat(name: (typeof FORMATS)[number]): (text: string) => boolean {
  const definition = ajvFormats.default.get(name);
  const matches = (text: string): boolean => {
    if (definition instanceof RegExp) {
      return definition.test(text);
    }
    const validate = typeof definition === 'object' ? definition.validate : definition;
    return validate instanceof RegExp ? validate.test(text) : (validate as (text: string) => boolean)(text);
  };
  return (text) => text.length <= MAX_FORMATTED_LENGTH && matches(text);
}

const ajv = createAjv();
