import { useQuery } from 'urql';
import { useParams } from 'wouter';
import { ProjectDocument, type ProjectQuery } from '../generated/graphql.js';
import { money, zone } from '../parts/format.js';
import { LiveTag } from '../parts/live-tag.js';
import { Failed, Loaded, Loading, Notice } from '../parts/states.js';
import { Batches } from './batches.js';
import { BurnUp } from './burn-up.js';
import { Download } from './download.js';
import { Figures } from './figures.js';
import { Limits } from './limits.js';
import { dueOf } from './outlook.js';
import { Quality } from './quality.js';
import { Spend } from './spend.js';
import { Upload } from './upload.js';
import { useBatches, useNow, useProjectLive } from './use-project.js';
import './customer.css';
import './burn-up.css';
import { told } from '../parts/bidi.js';

/** A project as it was asked for first; what changes is told live. */
export type ProjectNode = Extract<NonNullable<ProjectQuery['node']>, { __typename?: 'Project' }>;

/** One project: whether it will be done in time, what that hangs on, and what came of it. */
export function Project() {
  const { id = '' } = useParams();
  const [result, again] = useQuery({ query: ProjectDocument, variables: { id } });
  return (
    <div className="page project">
      <Loaded what="The project" result={result} onRetry={() => again({ requestPolicy: 'network-only' })}>
        {({ node }) =>
          node?.__typename === 'Project' ? (
            <Shown key={node.id} project={node} />
          ) : (
            <>
              <h1>Project</h1>
              <Notice title="There is no such project">
                <p>
                  It may be somebody else’s, or the address may be mistyped.{' '}
                  <a href="/projects">Your projects</a>
                </p>
              </Notice>
            </>
          )
        }
      </Loaded>
    </div>
  );
}

function Shown({ project }: { project: ProjectNode }) {
  const live = useProjectLive(project.id);
  const now = useNow();
  const { batches, pages, error, again } = useBatches(project.id, live.forecast);
  const forecast = live.forecast === null ? (project.forecast ?? null) : (live.forecast.project ?? null);
  const progress = live.progress?.progress ?? project.progress;
  const spent = live.progress?.spent ?? project.spend;
  const state = live.progress?.state ?? project.state;
  return (
    <>
      <Head project={project} isCancelled={state === 'CANCELLED'}>
        <LiveTag liveness={live.liveness} />
      </Head>
      {live.refused === null ? null : <p className="fault">{live.refused}</p>}
      <Figures
        progress={progress}
        forecast={forecast}
        spent={spent}
        price={project.price}
        now={now}
        due={dueOf(project.deadline, live.forecast?.batches, now)}
      />
      {batches === null ? (
        error ? (
          <Failed what="The batches" message={error.message} onRetry={again} />
        ) : (
          <Loading what="the batches" />
        )
      ) : (
        <>
          {batches.length === 0 ? null : (
            <BurnUp batches={batches} forecast={forecast} isPart={pages !== null} now={now} />
          )}
          {progress.tasksOpen > 0 ? <Limits forecast={forecast} now={now} /> : null}
          <Batches batches={batches} pages={pages} now={now} />
        </>
      )}
      {state === 'CANCELLED' ? null : (
        <Upload projectId={project.id} asking={askingOf(project)} onUploaded={again} />
      )}
      <div className="columns">
        <Quality projectId={project.id} progress={progress} />
        <Spend project={project} spent={spent} />
      </div>
      <Download project={project} isEmpty={progress.answersCounted === 0} />
    </>
  );
}

const askingOf = ({ redundancy, redundancyPolicy }: ProjectNode) => ({
  redundancy,
  isAdaptive: redundancyPolicy != null,
});

function Head({
  project,
  isCancelled,
  children,
}: {
  project: ProjectNode;
  isCancelled: boolean;
  children: React.ReactNode;
}) {
  const { name, taskType, skill, price, redundancy } = project;
  return (
    <header className="project-head">
      <h1>{told(name)}</h1>
      <p className="hint">
        {children} {isCancelled ? <span className="tag tag-warn">cancelled</span> : null}{' '}
        {told(taskType?.name ?? '')} {skill ? `in ${told(skill.name)}` : ''}, {money(price)} an answer,{' '}
        {redundancy} {redundancy === 1 ? 'answer' : 'answers'} a task at first. Times are in your zone (
        {zone()}).
      </p>
    </header>
  );
}
