import { useState } from 'react';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import { ProjectsDocument, type ProjectsQuery } from '../generated/graphql.js';
import { Button } from '../parts/button.js';
import { chance, money, zone } from '../parts/format.js';
import { LiveTag } from '../parts/live-tag.js';
import { Loaded, Notice } from '../parts/states.js';
import { type Due, dueOf, fromNow, verdictOf, when } from './outlook.js';
import { Progress } from './progress.js';
import { useNow, useProjectLive } from './use-project.js';
import './customer.css';
import './burn-up.css';
import { told } from '../parts/bidi.js';

type ProjectNode = ProjectsQuery['projects']['edges'][number]['node'];

/** Each card listens to two things, and a socket has fifty at most. */
const PAGE = 20;

/** The projects of a customer: how far each is, and whether it will be done in time. */
export function Projects() {
  const [after, setAfter] = useState<string | null>(null);
  const [result, again] = useQuery({ query: ProjectsDocument, variables: { first: PAGE, after } });
  return (
    <div className="page">
      <h1>Projects</h1>
      <p className="hint">Times are in your zone ({zone()}).</p>
      <Loaded what="Your projects" result={result} onRetry={() => again({ requestPolicy: 'network-only' })}>
        {({ projects }) => (
          <>
            <Cards projects={projects.edges.map(({ node }) => node)} />
            <Pages after={after} pageInfo={projects.pageInfo} onTurn={setAfter} />
          </>
        )}
      </Loaded>
    </div>
  );
}

function Cards({ projects }: { projects: readonly ProjectNode[] }) {
  if (projects.length === 0) {
    return (
      <Notice title="No projects yet">
        <p>
          A project asks a question of experts at a price; batches of items are uploaded into it. Create one
          with
          <code> createProject</code> (<a href="/graphql">GraphiQL</a>) or <code>POST /v1/projects</code>: it
          is shown here as soon as it is there.
        </p>
      </Notice>
    );
  }
  return (
    <ul className="projects">
      {projects.map((project) => (
        <ProjectCard key={project.id} project={project} />
      ))}
    </ul>
  );
}

function ProjectCard({ project }: { project: ProjectNode }) {
  const live = useProjectLive(project.id);
  const now = useNow(10_000);
  const progress = live.progress?.progress ?? project.progress;
  const spent = live.progress?.spent ?? project.spend;
  const state = live.progress?.state ?? project.state;
  const forecast = live.forecast === null ? project.forecast : live.forecast.project;
  const isOpen = state === 'RUNNING' && progress.tasksOpen > 0;
  return (
    <li className="card project-card">
      <div className="project-card-head">
        <h2>
          <Link href={`/projects/${project.id}`}>{told(project.name)}</Link>
        </h2>
        <LiveTag liveness={live.liveness} />
      </div>
      <p className="hint">{told(project.skill?.name ?? '')}</p>
      {live.refused === null ? null : <p className="fault">{live.refused}</p>}
      <OnTime
        state={state}
        isOpen={isOpen}
        isEmpty={progress.tasksTotal === 0}
        probability={forecast?.probabilityOnTime ?? null}
        due={dueOf(project.deadline, live.forecast?.batches, now)}
      />
      <Progress progress={progress} />
      <dl className="facts">
        <div>
          <dt>Expected</dt>
          <dd>
            {isOpen && forecast?.expectedDoneAt
              ? `${when(forecast.expectedDoneAt, now)} (${fromNow(forecast.expectedDoneAt, now)})`
              : '–'}
          </dd>
        </div>
        <div>
          <dt>Speed</dt>
          <dd>
            {isOpen && forecast ? `${Math.round(forecast.answersPerHour).toLocaleString()} answers/h` : '–'}
          </dd>
        </div>
        <div>
          <dt>Spent</dt>
          <dd>{money(spent)}</dd>
        </div>
      </dl>
    </li>
  );
}

interface OnTimeProps {
  readonly state: ProjectNode['state'];
  readonly isOpen: boolean;
  readonly isEmpty: boolean;
  readonly probability: number | null;
  readonly due: Due;
}

/** The one figure that a customer comes for. */
function OnTime({ state, isOpen, isEmpty, probability, due: { isDue, isPast } }: OnTimeProps) {
  if (state === 'CANCELLED') {
    return <p className="on-time on-time-none">cancelled</p>;
  }
  if (!isOpen) {
    return <p className="on-time on-time-none">{isEmpty ? 'no work yet' : 'nothing open'}</p>;
  }
  if (probability === null) {
    return <p className="on-time on-time-none">{isDue ? 'not known yet' : 'no deadline'}</p>;
  }
  const { tone, word } = verdictOf(probability, isPast);
  return (
    <p className={`on-time on-time-${tone}`}>
      <strong>{word === 'late' ? '' : chance(probability)}</strong> {word}
    </p>
  );
}

function Pages({
  after,
  pageInfo,
  onTurn,
}: {
  after: string | null;
  pageInfo: ProjectsQuery['projects']['pageInfo'];
  onTurn: (after: string | null) => void;
}) {
  if (after === null && !pageInfo.hasNextPage) {
    return null;
  }
  return (
    <p className="more">
      <Button isDisabled={after === null} onPress={() => onTurn(null)}>
        First projects
      </Button>{' '}
      <Button isDisabled={!pageInfo.hasNextPage} onPress={() => onTurn(pageInfo.endCursor ?? null)}>
        Next projects
      </Button>
    </p>
  );
}
