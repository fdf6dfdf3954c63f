import { loadDevelopmentKey } from '../services/access/development-key.js';
import { createTokenVerifier, type VerifyToken } from '../services/access/tokens.js';
import type { Config } from './config.js';
import { StartupError } from './startup-error.js';

/**
 * The check of access tokens that a configuration asks for. The development key is not even read in production: what it signed
 * can then never be accepted.
 * @throws StartupError in production without an identity provider
 */
export async function tokenVerifier({ mode, jwt, dataDir }: Config): Promise<VerifyToken> {
  if (jwt !== undefined) {
    return createTokenVerifier({ jwks: jwt });
  }
  if (mode === 'production') {
    throw new StartupError(
      'Production mode refuses tokens of the development key.',
      'Set JWKS_URL and JWT_ISSUER to those of your identity provider.',
    );
  }
  return createTokenVerifier({ developmentKey: await loadDevelopmentKey(dataDir) });
}
