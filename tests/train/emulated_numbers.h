// Between a kernel's numbers and floats: included after number.cu, inside a variant's namespace. No include
// guard.
using Numbers = std::vector<Number>;

inline Numbers ToNumbers(const std::vector<float>& values) {
  Numbers numbers;
  for (const float value : values) numbers.push_back(FromFloat(value));
  return numbers;
}

inline std::vector<float> ToFloats(const Numbers& numbers) {
  std::vector<float> values;
  for (const Number number : numbers) values.push_back(ToFloat(number));
  return values;
}
