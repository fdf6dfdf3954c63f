import { bearerToken } from '../services/access/authenticator.js';
import type { Viewer } from '../services/access/viewer.js';
import type { Exchange } from './exchange.js';

/** Who asks, by the Authorization header. @throws UnauthenticatedError */
export function authenticated({ req, parts, requestId }: Exchange): Promise<Viewer> {
  return parts.authenticator.authenticate(bearerToken(req.headers.authorization), requestId);
}
