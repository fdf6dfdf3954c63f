import type { AmountFragment } from '../generated/graphql.js';
import { money } from '../parts/format.js';
import type { ProjectNode } from './project.js';

/** What it has cost, and what it may. */
export function Spend({
  project: { price, budget },
  spent,
}: {
  project: ProjectNode;
  spent: AmountFragment;
}) {
  return (
    <section className="card">
      <h2>Spend</h2>
      <dl className="facts">
        <Fact name="Spent so far" value={money(spent)} />
        <Fact name="An answer" value={money(price)} />
        {budget ? (
          <>
            <Fact name="Budget" value={money(budget.limit)} />
            <Fact name="Reserved for open tasks" value={money(budget.reserved)} />
            <Fact name="Available" value={money(budget.available)} />
            {budget.stopped > 0 ? (
              <Fact name="Stopped for want of budget" value={`${budget.stopped} tasks`} />
            ) : null}
          </>
        ) : (
          <Fact name="Budget" value="none set" />
        )}
      </dl>
    </section>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
