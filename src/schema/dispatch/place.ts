import type { Place } from '../../services/dispatch/ports.js';
import { builder } from '../builder.js';

export const PlaceRef = builder.objectRef<Place>('Place').implement({
  description: 'A point on earth (WGS 84). Of a job only: no type tells where a worker is but by a cell.',
  fields: (t) => ({
    latitude: t.exposeFloat('latitude', { description: 'In degrees, -90 to 90.' }),
    longitude: t.exposeFloat('longitude', { description: 'In degrees, -180 to 180.' }),
  }),
});

export const PlaceInput = builder.inputType('PlaceInput', {
  description: 'A point on earth (WGS 84).',
  fields: (t) => ({
    latitude: t.float({ required: true, description: 'In degrees, -90 to 90.' }),
    longitude: t.float({ required: true, description: 'In degrees, -180 to 180.' }),
  }),
});
