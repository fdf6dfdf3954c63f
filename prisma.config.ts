import { defineConfig } from 'prisma/config';

/** Only `prisma generate` is run from here; migrations are applied by `touchstone migrate` (docs/decisions/0002). */
export default defineConfig({ schema: 'prisma/schema.prisma' });
