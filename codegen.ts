import type { CodegenConfig } from '@graphql-codegen/cli';

const scalars = { BigInt: 'string', DateTime: 'string', JSON: 'unknown', CurrencyCode: 'string' };

const config: CodegenConfig = {
  schema: 'schema.graphql',
  emitLegacyCommonJSImports: false,
  generates: {
    'src/client/generated/': {
      documents: 'src/client/operations/*.graphql',
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        // Text instead of syntax trees: the client then needs no GraphQL library at run time.
        documentMode: 'string',
        // Of the schema what the operations name, and not all of it again.
        onlyOperationTypes: true,
        enumsAsTypes: true,
        useTypeImports: true,
        skipTypename: false,
        scalars,
      },
    },
    'web/src/generated/': {
      documents: 'web/src/**/*.graphql',
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: { onlyOperationTypes: true, enumsAsTypes: true, useTypeImports: true, scalars },
    },
  },
};

export default config;
