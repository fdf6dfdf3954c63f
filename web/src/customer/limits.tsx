import type { OutlookFragment } from '../generated/graphql.js';
import { told } from '../parts/bidi.js';
import { fixesOf, restsOn } from './outlook.js';

/** What the forecast hangs on, in words, and what would make the deadline. */
export function Limits({ forecast, now }: { forecast: OutlookFragment | null; now: number }) {
  if (forecast === null) {
    return null;
  }
  const fixes = fixesOf(forecast.fixes, now);
  return (
    <section className="card">
      <h2>What it hangs on</h2>
      {forecast.limits.length === 0 ? (
        <p>It is not known yet when experts work: that takes a week of their work.</p>
      ) : (
        <ul>
          {forecast.limits.map((limit) => (
            <li key={limit}>{told(limit)}</li>
          ))}
        </ul>
      )}
      <p className="hint">{restsOn(forecast)}</p>
      {fixes.length === 0 ? null : (
        <>
          <h3>What would make it nine times in ten</h3>
          <ul>
            {fixes.map((fix) => (
              <li key={fix}>{told(fix)}</li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
