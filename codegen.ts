import type { CodegenConfig } from '@graphql-codegen/cli';

const config: CodegenConfig = {
  schema: 'schema.graphql',
  documents: 'src/client/operations/*.graphql',
  emitLegacyCommonJSImports: false,
  generates: {
    'src/client/generated/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        // Text instead of syntax trees: the client then needs no GraphQL library at run time.
        documentMode: 'string',
        enumsAsTypes: true,
        useTypeImports: true,
        skipTypename: false,
        scalars: { BigInt: 'string', DateTime: 'string', JSON: 'unknown', CurrencyCode: 'string' },
      },
    },
  },
};

export default config;
