import type { ErrorObject } from 'ajv/dist/2020.js';
import { type Issue, MAX_ISSUES, pointerStep } from './json-value.js';

/**
 * The validator's errors as an expert or a script wants to read them: the pointer of the faulty field itself (also
 * where the validator names its parent, as for a missing one), and a sentence without schema words.
 */
export function issuesOf(errors: readonly ErrorObject[]): Issue[] {
  const issues = new Map<string, Issue>();
  for (const error of errors) {
    // 'if' and 'propertyNames' only repeat what their inner errors say.
    if (error.keyword !== 'if' && error.keyword !== 'propertyNames') {
      const issue = issueOf(error);
      issues.set(`${issue.path} ${issue.message}`, issue);
    }
  }
  return [...issues.values()].slice(0, MAX_ISSUES);
}

function issueOf(error: ErrorObject): Issue {
  const { params } = error;
  switch (error.keyword) {
    case 'required':
    case 'dependentRequired':
      return { path: error.instancePath + pointerStep(params.missingProperty), message: 'is missing' };
    case 'additionalProperties':
      return extra(error, params.additionalProperty);
    case 'unevaluatedProperties':
      return extra(error, params.unevaluatedProperty);
    default:
      break;
  }
  const name = error.propertyName;
  return name === undefined
    ? { path: error.instancePath, message: sentenceOf(error) }
    : { path: error.instancePath + pointerStep(name), message: `has a name that ${sentenceOf(error)}` };
}

function extra(error: ErrorObject, property: string): Issue {
  return { path: error.instancePath + pointerStep(property), message: 'is not expected here' };
}

function sentenceOf({ keyword, params, message }: ErrorObject): string {
  switch (keyword) {
    case 'type':
      return `must be ${typeNames(params.type)}`;
    case 'enum':
      return `must be one of ${listOf(params.allowedValues)}`;
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`;
    case 'minimum':
    case 'exclusiveMinimum':
      return `must be ${params.comparison === '>' ? 'more than' : 'at least'} ${params.limit}`;
    case 'maximum':
    case 'exclusiveMaximum':
      return `must be ${params.comparison === '<' ? 'less than' : 'at most'} ${params.limit}`;
    case 'minLength':
      return `must have at least ${params.limit} ${params.limit === 1 ? 'character' : 'characters'}`;
    case 'maxLength':
      return `must have at most ${params.limit} ${params.limit === 1 ? 'character' : 'characters'}`;
    case 'pattern':
      return 'is not written in the form that is asked for';
    case 'format':
      return `must be a valid ${params.format}`;
    case 'uniqueItems':
      return `has the same item twice (positions ${params.j} and ${params.i})`;
    case 'anyOf':
    case 'oneOf':
      return 'fits none, or more than one, of the allowed forms';
    case 'not':
    case 'false schema':
      return 'is not allowed';
    default:
      return message ?? 'is not valid';
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
};

function typeNames(type: string | readonly string[]): string {
  return [type]
    .flat()
    .map((name) => TYPE_NAMES[name] ?? name)
    .join(' or ');
}

/** Enough to see what is meant; a list of a thousand options is no message. */
function listOf(values: readonly unknown[]): string {
  const shown = values.slice(0, 20).map((value) => JSON.stringify(value));
  return (
    shown.join(', ') + (values.length > shown.length ? `, and ${values.length - shown.length} more` : '')
  );
}
