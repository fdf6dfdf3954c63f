import { getOperationAST, type OperationDefinitionNode } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '../context.js';
import { inSpan } from '../services/platform/tracing.js';

/**
 * A span around the execution of each query and mutation, by the fields of the schema that it asks for. Not by the name
 * that its client gave it: that is a text of theirs.
 */
export function operationSpans(): Plugin<Context> {
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const operation = getOperationAST(args.document, args.operationName);
      const type = operation?.operation ?? 'query';
      const fields = operation == null ? [] : fieldsOf(operation);
      const attributes = { 'graphql.operation.type': type, 'touchstone.graphql.fields': fields };
      setExecuteFn((given) =>
        inSpan(`${type} ${fields.join(' ')}`.trim(), attributes, async () => executeFn(given)),
      );
    },
  };
}

function fieldsOf({ selectionSet }: OperationDefinitionNode): string[] {
  return selectionSet.selections.flatMap((selection) =>
    selection.kind === 'Field' ? [selection.name.value] : [],
  );
}
