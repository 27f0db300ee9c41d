import { DateTime } from '../scalars/date-time.js';
import { JSONObject } from '../scalars/json.js';
import { MetadataValue } from '../scalars/metadata-value.js';

export const scalars = { DateTime, JSONObject, MetadataValue };
