import type { Liveness } from '../api/live.js';
import { instant } from './format.js';

/** Says whether what is shown is as it is just now, and if not, of when it is. */
export function LiveTag({ liveness }: { liveness: Liveness }) {
  switch (liveness.kind) {
    case 'LIVE':
      return <span className="tag tag-good">live</span>;
    case 'CONNECTING':
      return <span className="tag">connecting …</span>;
    case 'AWAY':
      return (
        <span className="tag tag-warn">not live since {instant(new Date(liveness.since).toISOString())}</span>
      );
    default:
      return liveness satisfies never;
  }
}
