import { Decimal128 } from 'bson';
import { isInt32 } from '../bson/type.js';
import type { BsonValue } from '../bson/values.js';
import { toDecimal } from './arithmetic.js';
import { addDecimals, decimalFromBigint, decimalFromDouble, divideDecimals } from './decimal.js';
import { double, integer, integerOf, type NumericType, numericType, toDouble, wider } from './numeric.js';

/**
 * A sum of many numbers in the widest of their types: whole numbers exactly, doubles with Neumaier's compensation (the
 * order of documents must not show in the last digit), decimals apart. What is no number does not count.
 */
export class NumberSum {
  count = 0;
  #type: NumericType = 'int';
  #small = 0;
  #large = 0n;
  #double = 0;
  #compensation = 0;
  #decimal: Decimal128 | undefined;

  add(value: BsonValue): void {
    if (typeof value === 'number' && isInt32(value)) {
      this.count++;
      this.#small += value;
      if (!Number.isSafeInteger(this.#small)) this.#carry(value);
      return;
    }
    const type = numericType(value);
    if (type === undefined) return;
    this.count++;
    this.#type = wider(this.#type, type);
    if (type === 'decimal') {
      this.#decimal =
        this.#decimal === undefined ? (value as Decimal128) : addDecimals(this.#decimal, value as Decimal128);
    } else if (type === 'double') {
      this.#addDouble(toDouble(value));
    } else {
      this.#large += integerOf(value);
    }
  }

  /** The last step left the safe integers: undo it and go on in BigInt. */
  #carry(last: number): void {
    this.#large += BigInt(this.#small - last) + BigInt(last);
    this.#small = 0;
  }

  #addDouble(x: number): void {
    const sum = this.#double + x;
    if (Number.isFinite(sum)) {
      this.#compensation += Math.abs(this.#double) >= Math.abs(x) ? this.#double - sum + x : x - sum + this.#double;
    }
    this.#double = sum;
  }

  get #whole(): bigint {
    return this.#large + BigInt(this.#small);
  }

  #asDouble(): number {
    const sum = this.#double + this.#compensation;
    return (Number.isFinite(sum) ? sum : this.#double) + Number(this.#whole);
  }

  #asDecimal(): Decimal128 {
    let sum = this.#decimal ?? Decimal128.fromString('0');
    if (this.#double !== 0) sum = addDecimals(sum, decimalFromDouble(this.#double + this.#compensation));
    return this.#whole === 0n ? sum : addDecimals(sum, decimalFromBigint(this.#whole));
  }

  total(): BsonValue {
    switch (this.#type) {
      case 'decimal':
        return this.#asDecimal();
      case 'double':
        return double(this.#asDouble());
      default:
        return integer(this.#whole, this.#type) ?? double(Number(this.#whole));
    }
  }

  /** Null when there was no number. */
  average(): BsonValue {
    if (this.count === 0) return null;
    if (this.#type === 'decimal') return divideDecimals(this.#asDecimal(), toDecimal(this.count));
    return double(this.#asDouble() / this.count);
  }
}
