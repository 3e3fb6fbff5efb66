import {useState} from 'react';
import {queueText} from '../../../app/run/scenario/linkParts.ts';
import type {BothWays, PathSettings as Path} from '../../../app/run/scenario/path.ts';
import {Icon} from '../../kit/Icon.tsx';
import {lossWays} from '../../kit/LossText.tsx';
import {NumberField} from '../../kit/NumberField.tsx';
import {ALWAYS_VISIBLE} from '../../kit/pathScales.ts';
import {Section} from '../../kit/Section.tsx';
import type {Scale} from '../../kit/scale.ts';
import {useSession, useSessionState} from '../../session/context.tsx';
import {usePathInForce} from '../../session/usePathInForce.ts';
import {type OtherPath, useFeatures} from '../feature.ts';
import {ChangesHold} from './Changes.tsx';
import {QUEUE} from './fieldScales.ts';
import {LinkFields} from './LinkFields.tsx';
import {LossFields} from './LossFields.tsx';
import {LossModel} from './LossModel.tsx';

/** The settings of the path, which may be the emulated path or another kind of path that a feature provides. */
export function PathSettings() {
  const session = useSession();
  const others = useFeatures().flatMap(({path}) => path ?? []);
  const scenario = useSessionState(state => state.scenario);
  const own = others.find(({isOf}) => isOf(scenario));
  const [asked, setAsked] = useState<OtherPath | null>(null);
  const chosen = own ?? asked ?? undefined;
  const goBack = (other: OtherPath) => {
    setAsked(null);
    other.leave(session);
  };
  return (
    <fieldset>
      <legend>
        Path
        {(chosen === undefined ? others : [chosen]).map(other => (
          <button
            key={other.label}
            type="button"
            className="quiet"
            onClick={() => (chosen === undefined ? setAsked(other) : goBack(other))}
            title={chosen === undefined ? other.title : 'compute the load over an emulated path'}
          >
            {chosen === undefined ? other.label : 'back to emulated'}
          </button>
        ))}
      </legend>
      {chosen === undefined ? <EmulatedPath /> : <chosen.Fields isAsking={asked !== null} />}
    </fieldset>
  );
}

/**
 * The fields of the emulated path. If edits apply from t on, the fields show the path at t. Otherwise they show the
 * path without its timed changes.
 */
function EmulatedPath() {
  const path = usePathInForce();
  const scenario = useSessionState(state => state.scenario);
  const [isLossApart, setLossApart] = useState(false);
  const ways = lossWays(path.loss, isLossApart);
  return (
    <>
      <div className="at-hand">
        <LossFields ways={ways} onApart={setLossApart} />
        {ALWAYS_VISIBLE.map(({setting, ...field}) => (
          <BothWaysField key={setting} settingKey={`path.${setting}`} value={path[setting]} {...field} />
        ))}
      </div>
      <ChangesHold />
      <Section name="path" title="Burst loss, queue" hint={restText(path)}>
        {ways.map(way => (
          <LossModel key={way.settingKey} {...way} />
        ))}
        {path.queue === undefined && (
          <BothWaysField settingKey="path.queuePackets" value={path.queuePackets} {...QUEUE} />
        )}
      </Section>
      <LinkFields scenario={scenario} />
    </>
  );
}

/** Describes the settings in the folded section in a few words. */
function restText({loss, queue, queuePackets}: Path): string {
  const {down} = loss;
  return [
    down.model === 'bernoulli' ? 'independent losses' : '',
    down.applies === 'data' ? 'only packets with data' : '',
    down.at === 'exit' ? 'lost behind the link' : '',
    queue?.down === undefined ? `queue of ${queuePackets.down} packets` : queueText(queue.down),
  ]
    .filter(text => text !== '')
    .join(' · ');
}

interface BothWaysFieldProps {
  readonly settingKey: string;
  readonly label: string;
  readonly unit: string;
  readonly scale: Scale;
  readonly value: BothWays<number>;
}

/** The field of a number for both directions. It is one field until the numbers differ or the user splits it. */
function BothWaysField({settingKey, label, value, ...field}: BothWaysFieldProps) {
  const session = useSession();
  const [isApart, setApart] = useState(false);
  if (!isApart && value.down === value.up) {
    const apart = (
      <button
        type="button"
        className="quiet"
        onClick={() => setApart(true)}
        title="set down and up separately"
        aria-label={`${label}: set down and up separately`}
      >
        <Icon name="split" />
      </button>
    );
    return <NumberField settingKey={settingKey} label={label} {...field} value={value.down} action={apart} />;
  }
  const join = () => {
    session.history.choose(settingKey, value.down);
    setApart(false);
  };
  const joined = (
    <button
      type="button"
      className="quiet"
      onClick={join}
      title="use one value for both directions"
      aria-label={`${label}: use one value for both directions`}
    >
      <Icon name="join" />
    </button>
  );
  const [down, up] = [`${settingKey}.down`, `${settingKey}.up`];
  return (
    <>
      <NumberField settingKey={down} label={`${label} down`} value={value.down} {...field} action={joined} />
      <NumberField settingKey={up} label={`${label} up`} value={value.up} {...field} />
    </>
  );
}
