import { useViewer } from '../api/viewer.js';
import { Loading } from '../parts/states.js';
import '../styles/work.css';
import '../styles/data.css';
import '../styles/payload.css';
import { BetweenTasks } from './between.js';
import type { Desk } from './desk.js';
import { Unfinished } from './unfinished.js';
import { useDesk, useDeskView } from './use-desk.js';
import { Working } from './working.js';

/** An expert's workbench: one decision a screen. */
export function WorkPage() {
  const { identity } = useViewer();
  const desk = useDesk(identity?.id ?? '');
  return desk === null ? <Loading what="your desk" /> : <AtDesk desk={desk} />;
}

function AtDesk({ desk }: { desk: Desk }) {
  const { state, isConnected, isKeptHere, trouble, done } = useDeskView(desk);
  return state.kind === 'WORKING' ? (
    <Working
      key={state.desk.held.assignmentId}
      desk={desk}
      onDesk={state.desk}
      isConnected={isConnected}
      isKeptHere={isKeptHere}
      trouble={trouble}
      done={done}
    />
  ) : (
    <>
      <h1 className="visually-hidden">Work</h1>
      <BetweenTasks desk={desk} state={state} isConnected={isConnected} isKeptHere={isKeptHere} />
      {state.kind === 'READY' || state.kind === 'EMPTY' ? <Unfinished desk={desk} /> : null}
    </>
  );
}
